import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var copy: Self {
        Self(
            name: "copy", stores: ["STORE", "TARGET"], options: [.dryRun, .replace, .json],
            summary: "Copy all settings to another store, of the same kind or another.",
            discussion: "The same bytes are stored. Settings that only the target has stay, unless --replace is given. "
                + "Up to \(ToolLimits.batch) settings are stored at a time, each batch whole or not at all. If the copying ends "
                + "early, both stores can be used, and the same command goes on with what is missing."
        ) { tool, invocation, streams in
            try tool.copy(invocation, streams)
        }
    }
}

extension SettingsTool {
    fileprivate func copy(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let targetPlace = try place(invocation, 1)
        guard try targetPlace != place(invocation) else {
            throw CommandFailure.usage("The target is the store itself. Name another one.")
        }
        let isDry = invocation.has(.dryRun)
        return try withSettings(invocation, streams, for: .reading) { source in
            let settings = try source.contents()
            if source.isDamaged && invocation.has(.replace) {
                throw CommandFailure.failure(
                    "\(source.description) is damaged, so that --replace would remove settings that may only be unreadable. "
                        + "Nothing was copied. settings doctor says what to do; or copy without --replace.")
            }
            if invocation.has(.replace) {
                try requireSettings(settings.values.count, in: source.description)
            }
            let target = try OpenedStore(targetPlace, for: isDry ? .readingIfPresent : .writing)
            defer { target.reportProblems(to: streams) }
            let changes = StoredDifference.list(
                from: try target.contents(), to: settings, isMerging: !invocation.has(.replace))
            if isDry || invocation.has(.json) { try changes.print(streams, asJSON: invocation.has(.json)) }
            if !isDry { try store(changes, in: target) }
            if !invocation.has(.json) {
                let count = changes.count
                let result = isDry ? "would change" : "changed"
                try streams.print("\(settingCount(settings.values.count)), \(count) \(result).\n")
            }
            return source.isDamaged ? .failure : .success
        }
    }
}
