import SettingsKitTerminal

extension Subcommand where Program == SettingsCommand {
    static var browse: Self {
        Self(name: "browse", summary: browseSummary, discussion: browseDiscussion) { command, _, _ in
            try Browser.run { CatalogueSettings(command: command) }
            return .success
        }
    }
}

extension Subcommand {
    package static var browseSummary: String { "Browse and change the settings on the terminal." }
    package static var browseDiscussion: String {
        "The keys are shown at the bottom; ? explains them. Each change is stored at once and can be undone until you quit. It "
            + "needs a terminal on standard input and standard output. NO_COLOR is honored."
    }
}
