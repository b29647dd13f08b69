import SettingsCommandLine
import SettingsKitTerminal

extension Subcommand where Program == SettingsTool {
    static var browse: Self {
        Self(
            name: "browse", groups: [StoreArguments.options()], summary: browseSummary,
            discussion: browseDiscussion + " A value keeps the kind that it has."
        ) { tool, invocation, streams in
            // The store must not be opened without a terminal.
            try Terminal.require()
            return try tool.withStore(invocation, streams, for: .changing) { opened in
                try Browser.run { StoreSettings(opened: opened) }
                return .success
            }
        }
    }
}
