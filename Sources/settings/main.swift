import SettingsKitTool

exit(SettingsTool().run(SettingsTool.processArguments))
