exit(SettingsTool().run(SettingsTool.processArguments))
