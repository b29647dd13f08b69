extension SettingsCatalogue {
    /// The information about one setting in a service that people need.
    public struct Row: Sendable {
        /// The title of the setting's group.
        public let group: String
        /// The name, as ``SettingsCatalogue/name(of:)`` returns it.
        public let name: String
        /// The name and the scope under which the setting is stored.
        public let key: SettingsService.StorageKey
        /// The description of valid values: "integer from 1 to 65535", "true or false", "one of light, dark".
        public let type: String
        /// The text of the value in force; `•••` for a secret, and `(no text)` if the value has none.
        public let text: String
        /// The text of the default; `•••` for a secret, and `(computed)` if the default is computed.
        public let defaultText: String
        /// The source of the value.
        public let source: SettingsService.Source
        /// Whether the setting cannot be changed; ``lock`` has the reason.
        public var isLocked: Bool { lock != nil }
        /// The reason why the setting cannot be changed, as ``SettingsService/lock(of:)`` returns it.
        public let lock: SettingsService.Lock?
        /// Whether the store, or the layer that is written to, holds a value for the setting.
        public let isSet: Bool
        /// Whether the value is a secret.
        public let isSecret: Bool
        /// The purpose of the setting.
        public let help: String?
        /// The reason why a stored value is not used, or why the store cannot be read; nil if there is no problem.
        public let problem: SettingsError?
    }

    /// Returns a row for each setting in a service, in the catalogue's order.
    ///
    /// It reads each setting from its store. It writes nothing and diagnoses nothing: problems are in the rows.
    public func rows(in service: SettingsService) -> [Row] {
        groups.flatMap { group in
            group.settings.map { row(of: $0, $0.catalogued.state(in: service, showsSecrets: false), in: group) }
        }
    }

    /// Calls a closure with the names of settings after their stored values have changed, also if the settings reject the new
    /// values.
    ///
    /// - Parameter body: Called inside the lock of a store: it may only record the names.
    package func observeStores(
        of service: SettingsService, _ body: @escaping @Sendable (_ names: [String], SettingsService.Origin) -> Void
    ) -> [SettingsService.Subscription] {
        var names: [SettingsService.Scope: [String: String]] = [:]
        for setting in settings { names[setting.key.scope, default: [:]][setting.key.name] = name(of: setting) }
        return names.compactMap { scope, names in
            let store = service.connections[scope].store
            store?.follow(names.keys)
            return store?.feed.observe { changes, origin in
                let changed = changes.compactMap { names[$0.name] }
                if !changed.isEmpty { body(changed, origin) }
            }
        }
    }

    private func row(
        of setting: SettingsService.SettingDefinition, _ state: SettingState, in group: SettingsGroup
    ) -> Row {
        Row(
            group: group.title, name: name(of: setting), key: setting.key,
            type: setting.catalogued.valueDescription.name,
            text: state.text ?? SettingsService.SettingDefinition.withoutText,
            defaultText: setting.defaultText ?? "(computed)",
            source: state.source, lock: state.lock, isSet: state.isSet, isSecret: state.isSecret,
            help: setting.help, problem: state.problem)
    }

    // MARK: For people

    /// Returns a table of names, values and sources, in groups, for a terminal.
    ///
    /// ```
    /// Server
    ///   port  8080  environment, locked
    ///   user  www   default
    /// ```
    ///
    /// Long values are truncated with `…`, so that a line has at most `width` columns if names are not too long. A problem is below
    /// its setting. The reason why an unreadable layer locks is at the end.
    public func table(in service: SettingsService, width: Int = 80) -> String {
        let rows = groups.map { group in
            group.settings.map { row(of: $0, $0.catalogued.state(in: service, showsSecrets: false), in: group) }
        }
        let sources = rows.joined().map { Self.sourceText($0) }
        let nameWidth = rows.joined().map { TextLayout.columns(TextLayout.escaped($0.name)) }.max() ?? 0
        let sourceWidth = sources.map { TextLayout.columns($0) }.max() ?? 0
        let valueWidth = max(10, width - nameWidth - sourceWidth - 6)
        // All groups have the same columns.
        var lines = TextLayout.table(
            rows.joined().map { row in
                let value = TextLayout.escaped(row.text)
                return [
                    TextLayout.escaped(row.name), TextLayout.truncated(value, to: valueWidth), Self.sourceText(row),
                ]
            }, indentation: 2)[...]
        var text = ""
        for (group, rows) in zip(groups, rows) {
            text += (text.isEmpty ? "" : "\n") + TextLayout.escaped(group.title) + "\n"
            for row in rows {
                text += lines.removeFirst() + "\n"
                guard let problem = row.problem else { continue }
                let message = TextLayout.escaped("Problem: \(problem)")
                for line in TextLayout.wrapped(message, to: width - 4) { text += "    \(line)\n" }
            }
        }
        var unreadable: Set<String> = []
        for lock in rows.joined().compactMap(\.lock) {
            guard let problem = lock.problem, unreadable.insert("\(problem)").inserted else { continue }
            let message = TextLayout.escaped("Locked, because the layer \(lock.layer) cannot be read: \(problem)")
            text += "\n" + TextLayout.wrapped(message, to: width).map { $0 + "\n" }.joined()
        }
        return text
    }

    private static func sourceText(_ row: Row) -> String {
        TextLayout.escaped(SettingState.sourceText(row.source, row.lock))
    }

    // MARK: For programs

    /// Returns the rows as a JSON array of objects.
    ///
    /// `value` and `default` are JSON of the setting's type: a number, a string, an array. They are `null` if there is no text, and
    /// `"•••"` for a secret.
    public func json(in service: SettingsService) -> String {
        let rows = groups.flatMap { group in
            group.settings.map { setting in
                let state = setting.catalogued.state(in: service, showsSecrets: false)
                return Self.json(of: row(of: setting, state, in: group), text: state.text, setting)
            }
        }
        return JSONText.array(rows).indented + "\n"
    }

    private static func json(
        of row: Row, text: String?, _ setting: SettingsService.SettingDefinition
    ) -> JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("name", .string(row.name)), ("group", .string(row.group)), ("scope", .string("\(row.key.scope)")),
            ("type", .string(row.type)), ("value", json(of: text, setting)),
            ("default", json(of: setting.defaultText, setting)), ("source", .string(row.source.description)),
            ("isLocked", .bool(row.isLocked)), ("isSet", .bool(row.isSet)), ("isSecret", .bool(row.isSecret)),
        ]
        if let lock = row.lock { members.append(("lock", lock.json)) }
        if let help = row.help { members.append(("help", .string(help))) }
        if let problem = row.problem { members.append(("problem", .string("\(problem)"))) }
        return .object(members)
    }

    /// Returns the text of a setting's value as JSON.
    package static func json(of text: String?, _ setting: SettingsService.SettingDefinition) -> JSONText {
        guard let text else { return .value("null") }
        if text == SettingsService.SettingDefinition.hidden { return .string(text) }
        return .value(setting.catalogued.valueDescription.json(ofText: text))
    }
}

extension SettingsService.Lock {
    /// The name of the layer, the argument or the variable, and the reason if the layer cannot be read.
    package var json: JSONText {
        var members: [(name: String, value: JSONText)] = [("layer", .string(layer))]
        if let location { members.append(("location", .string(location))) }
        if let problem { members.append(("problem", .string("\(problem)"))) }
        return .object(members)
    }
}
