import SettingsCommandLine
import SettingsKit

extension OpenedStore {
    func explanation(of name: String) throws -> Explanation {
        let layers = try layers(of: name)
        let value = try value(named: name)
        if value == nil && layers.allSatisfy({ $0.value == nil }) { throw missing ?? missingValue(named: name) }
        let inForce = layers.first { $0.value != nil }
        var explanation = Explanation(name: name, text: (inForce?.value ?? value)?.summary(columns: TextLayout.width))
        if let value {
            let summary = value.summary(columns: TextLayout.width - 14)
            explanation.facts = [
                // Without layers, it is the value in force.
                ("value", layers.isEmpty ? nil : "value", summary, value.jsonText),
                ("kind", "kind", value.kind.rawValue, nil),
                ("size", "size", value.size, .value("\(value.data.count)")),
            ]
        }
        explanation.facts.append(("store", "store", description, nil))
        if let value, let list = store as? PropertyListStore { explanation.facts += place(of: name, value, list) }
        if value != nil, let change = (store as? DirectoryStore)?.lastChange(of: name) {
            explanation.facts += origin(change)
        }
        explanation.layers = layers.map { $0.explained(isInForce: $0.name == inForce?.name) }
        explanation.notes = layers.compactMap { $0.problem.map { "\($0)" } }
        return explanation
    }

    private func place(of name: String, _ value: UntypedValue, _ store: PropertyListStore) -> [Explanation.Fact] {
        var facts: [Explanation.Fact] = []
        if let native = store.nativeValue(of: name) {
            facts.append(("storedAs", "stored as", native.typeName, nil))
        }
        if store.isOnlyInLog(name) {
            let text = "the value is in the log beside the file, and not in the file yet"
            facts.append(("isOnlyInLog", "place", text, .bool(true)))
        } else if let line = store.line(of: name, holding: value.data) {
            facts.append(("line", "place", "line \(line) of the file", .value("\(line)")))
        } else {
            facts.append(("isInFile", "place", "in the file", .bool(true)))
        }
        return facts
    }

    private func origin(_ change: DirectoryStore.LastChange) -> [Explanation.Fact] {
        let own = change.isOwn ? ", this device" : ""
        let device = change.deviceName.map { "\($0) (replica \(change.replica)\(own))" }
        let when =
            change.date.timeIntervalSince1970 == 0 ? "imported, at an unknown time" : timeText(change.date)
        return [
            ("device", "changed by", device ?? "replica \(change.replica)\(own)", nil),
            ("changed", "changed at", when, nil),
        ]
    }

    // MARK: Layers

    private struct Layer {
        let name: String
        let store: String
        let value: UntypedValue?
        /// Why the layer cannot be read; nil if it can.
        let problem: SettingsError?

        func explained(isInForce: Bool) -> (shown: Explanation.Layer, json: JSONText) {
            var members: [(name: String, value: JSONText)] = [
                ("layer", .string(name)), ("store", .string(store)), ("value", value?.jsonText ?? .value("null")),
                ("holdsValue", .bool(value != nil)), ("isInForce", .bool(isInForce)),
            ]
            if let problem { members.append(("problem", .string("\(problem)"))) }
            let text = value?.summary(columns: 30) ?? (problem == nil ? nil : "(cannot be read)")
            return (.init(name: name, text: text, location: store, isInForce: isInForce), .object(members))
        }
    }

    /// The values of a program's layers under a name, the highest first. Nil for other stores, and for a program whose
    /// administrator's files are readable and have no value.
    private func layers(of name: String) throws -> [Layer] {
        guard case .app(let app) = place else { return [] }
        let layered = try LayeredStore.standard(
            over: store, named: app, environmentPrefix: nil, arguments: [],
            environment: ProcessInfo.processInfo.environment)
        let candidates = try layered.candidates(for: Self.key(name))
        let problems = layered.layerProblems
        if problems.isEmpty && candidates.allSatisfy({ $0.layer == nil }) { return [] }
        return layered.layerNames.filter { $0 != "arguments" }.map { layer in
            let candidate = candidates.first { $0.layer == layer }
            return Layer(
                name: layer ?? "own", store: layered.description(ofLayer: layer),
                value: candidate.map { UntypedValue($0.data) },
                problem: layer == nil ? nil : problems.first { $0.layer == layer })
        }
    }
}

extension PropertyListValue {
    /// The name of the value's type in a property list.
    var typeName: String {
        switch self {
        case .boolean: "true or false"
        case .integer, .unsigned: "integer"
        case .real: "real"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dict"
        }
    }
}
