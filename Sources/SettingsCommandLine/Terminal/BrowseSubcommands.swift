extension Subcommand where Program == SettingsCommand {
    static var browse: Self {
        Self(name: "browse", summary: browseSummary, discussion: browseDiscussion) { command, _, _ in
            try Browser.run { CatalogueSettings(command: command) }
            return .success
        }
    }
}

extension Subcommand where Program == SettingsTool {
    static var browse: Self {
        Self(
            name: "browse", groups: [StoreArguments.options()], summary: browseSummary,
            discussion: browseDiscussion + " A value keeps the kind that it has."
        ) { tool, invocation, streams in
            // Without a terminal, the store is not even opened.
            try Terminal.require()
            return try tool.withStore(invocation, streams, for: .changing) { opened in
                try Browser.run { StoreSettings(opened: opened) }
                return .success
            }
        }
    }
}

private let browseSummary = "Browse and change the settings on the terminal."
private let browseDiscussion =
    "The keys are shown at the bottom; ? explains them. Each change is stored at once and can be undone until you quit. It "
    + "needs a terminal on standard input and standard output. NO_COLOR is honoured."
