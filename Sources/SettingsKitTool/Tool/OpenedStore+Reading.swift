import SettingsCommandLine
import SettingsKit

extension OpenedStore {
    /// The widest column of names.
    private static let nameWidth = 40

    package func list(asJSON isJSON: Bool, _ streams: CommandStreams) throws {
        var settings: [(name: String, value: UntypedValue)] = []
        for name in try names() {
            // It may have been removed meanwhile.
            if let value = try value(named: name) { settings.append((name, value)) }
        }
        if isJSON {
            let list = settings.map { setting in
                JSONText.object([
                    ("name", .string(setting.name)), ("kind", .string(setting.value.kind.rawValue)),
                    ("value", setting.value.jsonText),
                ])
            }
            return try streams.print(JSONText.array(list).indented + "\n")
        }
        let rows = settings.map { (name: TextLayout.escaped($0.name), value: $0.value) }
        let nameWidth = min(rows.map { TextLayout.columns($0.name) }.max() ?? 0, Self.nameWidth)
        let kindWidth = rows.map(\.value.kind.rawValue.count).max() ?? 0
        try streams.print(lines: rows) { name, value in
            let kind = TextLayout.padded(value.kind.rawValue, to: kindWidth)
            let usedWidth = max(TextLayout.columns(name), nameWidth) + kindWidth + 4
            let summary = value.summary(columns: max(streams.width - usedWidth, 20))
            return streams.bold(TextLayout.padded(name, to: nameWidth)) + "  " + streams.dim(kind) + "  \(summary)\n"
        }
    }

    package func value(
        named name: String, showsSecrets: Bool
    ) throws -> (text: String?, json: JSONText, problem: String?) {
        guard let value = try value(named: name) else { throw missingValue(named: name) }
        return (value.text, value.jsonText, nil)
    }

    package func observe(
        _ names: [String], _ streams: CommandStreams,
        _ body: @escaping @Sendable (String, Bool, SettingsService.Origin, @escaping ObservedContent) -> Void
    ) throws -> [SettingsService.Subscription] {
        // It can take long until the problems are reported at the end.
        reportProblems(to: streams)
        guard let feed = store.feed else { throw CommandFailure.failure("\(description) does not report changes.") }
        let (names, directory) = (Set(names), store as? DirectoryStore)
        let subscription = feed.observe { changes, origin in
            for change in changes where names.isEmpty || names.contains(change.name) {
                let (name, data) = (change.name, change.newData)
                body(name, data != nil, origin) { columns in
                    let value = data.map(UntypedValue.init)
                    let device = directory?.lastChange(of: name)?.deviceName
                    return (value?.summary(columns: columns), value?.jsonText ?? .value("null"), device)
                }
            }
        }
        return [subscription]
    }

    /// The failure that nothing is stored under a name.
    func missingValue(named name: String) -> CommandFailure {
        let similar = (try? store.keys()).flatMap { SimilarName.find(name, among: Array($0.prefix(2_000))) }
        let hint = similar.map { " Did you mean \(quoted($0))?" } ?? ""
        return .failure("\(description) has no setting \(quoted(name)).\(hint)")
    }
}
