import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var watch: Self {
        Self(
            name: "watch", operands: "[NAME...]", operandCount: 0...Int.max, options: [.json, .count],
            groups: [StoreArguments.options()], completes: .names, summary: "Print changes as they are made.",
            discussion:
                "A line has the local time, the name, the new value and the origin; for a shared directory, also the "
                + "device that made the change. It ends when it is interrupted, when its output is closed, or after --count "
                + "changes. Without names, it watches all settings. With --json, each line is an object."
        ) { tool, invocation, streams in
            try tool.watch(invocation, streams)
        }
    }
}

/// A change to be printed.
private struct StoreChange: Sendable {
    let name: String
    /// The new value; nil for a removal.
    let data: Data?
    let origin: SettingsService.Origin
    let time = Date().timeIntervalSince1970
}

extension SettingsTool {
    fileprivate func watch(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let names = Set(try invocation.texts().map(name))
        let limit = try invocation.number(.count) ?? .max
        return try withStore(invocation, streams, for: .reading) { opened in
            opened.reportProblems(to: streams)
            guard let feed = opened.store.feed else {
                throw CommandFailure.failure("\(opened.description) does not report changes.")
            }
            let changes = ChangeQueue<StoreChange>()
            let subscription = feed.observe { published, origin in
                for change in published where names.isEmpty || names.contains(change.name) {
                    changes.append(StoreChange(name: change.name, data: change.newData, origin: origin))
                }
            }
            defer { subscription.cancel() }
            let isJSON = invocation.has(.json)
            try changes.print(limit, to: streams) { change in
                let device = (opened.store as? DirectoryStore)?.lastChange(of: change.name)?.deviceName
                return line(for: change, by: device, isJSON: isJSON, streams)
            }
            return .success
        }
    }

    private func line(
        for change: StoreChange, by device: String?, isJSON: Bool, _ streams: CommandStreams
    ) -> String {
        let time = LocalTime.text(secondsSince1970: change.time)
        let value = change.data.map(UntypedValue.init)
        if isJSON {
            var members: [(name: String, value: JSONText)] = [
                ("time", .string(time)), ("name", .string(change.name)), ("value", value?.jsonText ?? .value("null")),
                ("isSet", .bool(value != nil)), ("origin", .string("\(change.origin)")),
            ]
            if let device { members.append(("device", .string(device))) }
            return JSONText.object(members).compact + "\n"
        }
        let origin = ["\(change.origin)", device, value == nil ? "removed" : nil].compactMap { $0 }.joined(
            separator: ", ")
        let shown = value.map { " " + $0.summary(columns: max(streams.width, 80)) } ?? ""
        let name = streams.bold(TextLayout.escaped(change.name))
        return "\(streams.dim(time))  \(name):\(shown)  \(streams.dim("(\(TextLayout.escaped(origin)))"))\n"
    }
}
