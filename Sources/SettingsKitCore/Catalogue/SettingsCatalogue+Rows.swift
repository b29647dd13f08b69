#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsCatalogue {
    /// The information about one setting in a service that people need: its values, layer by layer, and the one in force.
    public struct Row: Sendable {
        /// A setting's value in one layer.
        package struct Layer: Sendable {
            /// The name; nil for the layer that is written to.
            package var name: String?
            /// The name of the variable or the argument, if the layer knows it.
            package var location: String?
            /// The text of the value; nil if it has none. If the setting rejects the stored bytes, these as text; nil if they are no
            /// text.
            package var text: String?
            /// Whether the layer is above the one that is written to.
            package var isLocking: Bool
            /// The error if the setting rejects the stored bytes.
            package var problem: SettingsError?
            var bytes: Data
        }

        /// The title of the setting's group.
        public internal(set) var group = ""
        /// The name, as ``SettingsCatalogue/name(of:)`` returns it.
        public internal(set) var name: String
        /// The name and the scope under which the setting is stored.
        public let key: SettingsService.StorageKey
        /// The description of valid values: "integer from 1 to 65535", "true or false", "one of light, dark".
        public let type: String
        /// The text of the value in force; `•••` for a secret, and `(no text)` if the value has none.
        public var text: String { valueText ?? SettingsService.SettingDefinition.withoutText }
        /// The text of the default; `•••` for a secret, and `(computed)` if the default is computed.
        public let defaultText: String
        /// The source of the value.
        public internal(set) var source: SettingsService.Source = .default
        /// Whether the setting cannot be changed; ``lock`` has the reason.
        public var isLocked: Bool { lock != nil }
        /// The reason why the setting cannot be changed, as ``SettingsService/lock(of:)`` returns it.
        public internal(set) var lock: SettingsService.Lock?
        /// Whether the store, or the layer that is written to, holds a value for the setting.
        public var isSet: Bool { layers.contains { $0.name == nil } }
        /// Whether the value is a secret.
        public internal(set) var isSecret: Bool
        /// The purpose of the setting.
        public let help: String?
        /// The reason why a stored value is not used, or why the store cannot be read; nil if there is no problem.
        public internal(set) var problem: SettingsError?

        /// The text of the value in force; nil if it has none.
        package var valueText: String?
        /// A description of the value in force for people, if it has no text. Nil for a secret.
        package var textlessValue: String?
        /// Whether the value in force is the last good one, because its layer now holds a rejected value.
        package var isLastGood = false
        /// The layers that hold a value, the highest first.
        package var layers: [Layer] = []
        /// The names of all layers, the highest first; nil stands for the one that is written to.
        package var layerNames: [String?] = [nil]

        init(_ setting: SettingsService.SettingDefinition) {
            (key, help, isSecret) = (setting.key, setting.help, setting.isSecret)
            (name, type) = (key.name, setting.catalogued.valueDescription.name)
            defaultText = setting.defaultText ?? "(computed)"
        }

        /// The source of the value and the lock of the setting, in a few words.
        var sourceText: String {
            guard let lock else { return source.description }
            let isOwnLock = lock.problem == nil && source == .layer(lock.layer)
            return source.description + (isOwnLock ? ", locked" : ", locked by \(lock.layer)")
        }

        /// The variable that locks the setting with an empty value; nil if there is none.
        var emptyVariable: String? {
            guard let lock, lock.problem == nil, lock.layer == LayeredStore.Layer.environmentName else { return nil }
            let layer = layers.first { $0.name == lock.layer }
            return layer?.problem == nil && layer?.bytes.isEmpty == true ? layer?.location : nil
        }

        /// Why the store cannot be read; nil if it can.
        package var storeProblem: SettingsError? { layers.isEmpty ? problem : nil }
    }
}

extension SettingsCatalogue {
    /// Returns a row for each setting in a service, in the catalogue's order.
    ///
    /// It reads each setting from its store. It writes nothing and diagnoses nothing: problems are in the rows.
    public func rows(in service: SettingsService) -> [Row] {
        entries(in: service).map(\.row)
    }

    private func entries(
        in service: SettingsService
    ) -> [(setting: SettingsService.SettingDefinition, row: Row)] {
        groups.flatMap { group in
            group.settings.map { setting in
                var row = setting.catalogued.state(in: service, showsSecrets: false)
                (row.group, row.name) = (group.title, name(of: setting))
                return (setting, row)
            }
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
        return names.flatMap { scope, names -> [SettingsService.Subscription] in
            guard let sources = service.connections[scope].sources else { return [] }
            sources.follow(names.keys)
            return sources.all.compactMap { source in
                if let text = source.layer.followed {
                    let all = Array(names.values)
                    let follower = text.follow { _ in body(all, .external) }
                    return SettingsService.Subscription { withExtendedLifetime(follower) {} }
                }
                return source.feed?.observe { changes, origin in
                    let changed = changes.compactMap { names[$0.name] }
                    if !changed.isEmpty { body(changed, origin) }
                }
            }
        }
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
        var rows = self.rows(in: service)[...]
        let sources = rows.map { TextLayout.escaped($0.sourceText) }
        let nameWidth = rows.map { TextLayout.columns(TextLayout.escaped($0.name)) }.max() ?? 0
        let sourceWidth = sources.map { TextLayout.columns($0) }.max() ?? 0
        let valueWidth = max(10, width - nameWidth - sourceWidth - 6)
        // All groups have the same columns.
        var lines = TextLayout.table(
            zip(rows, sources).map { row, source in
                [
                    TextLayout.escaped(row.name), TextLayout.truncated(TextLayout.escaped(row.text), to: valueWidth),
                    source,
                ]
            }, indentation: 2)[...]
        var text = ""
        let locks = rows.compactMap(\.lock)
        for group in groups {
            text += (text.isEmpty ? "" : "\n") + TextLayout.escaped(group.title) + "\n"
            for row in rows.prefix(group.settings.count) {
                text += lines.removeFirst() + "\n"
                guard let problem = row.problem else { continue }
                let message = TextLayout.escaped("Problem: \(problem)")
                for line in TextLayout.wrapped(message, to: width - 4) { text += "    \(line)\n" }
            }
            rows = rows.dropFirst(group.settings.count)
        }
        var unreadable: Set<String> = []
        for lock in locks {
            guard let problem = lock.problem, unreadable.insert("\(problem)").inserted else { continue }
            let message = TextLayout.escaped("Locked, because the layer \(lock.layer) cannot be read: \(problem)")
            text += "\n" + TextLayout.wrapped(message, to: width).map { $0 + "\n" }.joined()
        }
        return text
    }

    // MARK: For programs

    /// Returns the rows as a JSON array of objects.
    ///
    /// `value` and `default` are JSON of the setting's type: a number, a string, an array. They are `null` if there is no text, and
    /// `"•••"` for a secret.
    public func json(in service: SettingsService) -> String {
        JSONValue.array(entries(in: service).map { Self.json(of: $1, $0) }).indented + "\n"
    }

    private static func json(of row: Row, _ setting: SettingsService.SettingDefinition) -> JSONValue {
        var members: [(name: String, value: JSONText)] = [
            ("name", .string(row.name)), ("group", .string(row.group)), ("scope", .string("\(row.key.scope)")),
            ("type", .string(row.type)), ("value", json(of: row.valueText, setting)),
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
