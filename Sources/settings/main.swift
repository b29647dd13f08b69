exit(SettingsTool().run(Array(CommandLine.arguments.dropFirst())))
