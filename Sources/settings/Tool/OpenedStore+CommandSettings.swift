import SettingsCommandLine
import SettingsKit

extension OpenedStore: CommandSettings {
    // MARK: Reading

    func list(asJSON isJSON: Bool, _ streams: CommandStreams) throws {
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
        let nameWidth = min(rows.map { TextLayout.columns($0.name) }.max() ?? 0, ToolLimits.nameColumns)
        let kindWidth = rows.map(\.value.kind.rawValue.count).max() ?? 0
        try streams.print(lines: rows) { name, value in
            let kind = TextLayout.padded(value.kind.rawValue, to: kindWidth)
            let usedWidth = max(TextLayout.columns(name), nameWidth) + kindWidth + 4
            let summary = value.summary(columns: max(streams.width - usedWidth, 20))
            return "\(TextLayout.padded(name, to: nameWidth))  \(kind)  \(summary)\n"
        }
    }

    func value(
        named name: String, showsSecrets: Bool
    ) throws -> (text: String?, json: JSONText, problem: String?) {
        guard let value = try value(named: name) else { throw missingValue(named: name) }
        return (value.text, value.jsonText, nil)
    }

    /// The failure that nothing is stored under a name.
    func missingValue(named name: String) -> CommandFailure {
        let similar = (try? store.keys()).flatMap {
            SimilarName.find(name, among: Array($0.prefix(ToolLimits.soughtNames)))
        }
        let hint = similar.map { " Did you mean \(quoted($0))?" } ?? ""
        return .failure("\(description) has no setting \(quoted(name)).\(hint)")
    }

    func observe(
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

    // MARK: Changing

    var batchSize: Int? { ToolLimits.batch }

    func removals(of names: [String]?) throws -> [StoredDifference] {
        for name in names ?? [] where try data(named: name) == nil { throw missingValue(named: name) }
        return try (names ?? self.names()).map { StoredDifference(name: $0, old: nil, new: nil) }
    }

    func store(_ batch: ArraySlice<StoredDifference>) throws { try StoredDifference.make(batch, in: store) }

    func bringUpToDate() throws { try store.bringUpToDate() }

    func show(_ changes: [StoredDifference], asJSON: Bool, _ streams: CommandStreams) throws {
        try changes.print(streams, asJSON: asJSON)
    }

    // MARK: Editing

    func edited() throws -> EditedSettings {
        let values = try contents().values
        return EditedSettings(
            shown: values.sorted { $0.key < $1.key }.map { ($0.key, JSONTransfer.value(of: $0.value, named: $0.key)) },
            known: values)
    }

    /// - Throws: A failure if no setting can have a name, or the kind of a value is not that of the stored one, as `set` has it.
    func changes(_ values: [EditedValue]) throws -> [StoredDifference] {
        try values.compactMap { name, json in
            var bytes: Data?
            if let json {
                do throws(SettingsFileProblem) {
                    bytes = try JSONTransfer.bytes(of: json, named: name)
                } catch {
                    throw CommandFailure.failure("\(error)")
                }
                if bytes == nil { return nil }
            }
            guard SettingsService.StorageKey.isValid(name) else {
                throw CommandFailure.failure("\(quoted(name)): no setting can have this name.")
            }
            let old = try data(named: name)
            if let bytes, let old {
                let (kind, new) = (UntypedValue(old).kind, UntypedValue(bytes).kind)
                guard kind == new || kind == .null else {
                    throw CommandFailure.failure(
                        "\(quoted(name)): the kind of the value is \(kind.rawValue), not \(new.rawValue).")
                }
            }
            return StoredDifference(name: name, old: old, new: bytes)
        }
    }

    func store(_ changes: [StoredDifference], over known: [String: Data]) throws -> Bool {
        try store.apply(
            SettingsStoreBatch(
                writes: changes.map { .init(key: Self.key($0.name), data: $0.new) },
                expectations: changes.map { .init(key: Self.key($0.name), data: known[$0.name]) }))
    }
}
