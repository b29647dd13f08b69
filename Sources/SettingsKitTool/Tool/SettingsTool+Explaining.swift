import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var explain: Self {
        Self(
            name: "explain", operands: "NAME", operandCount: 1...1, options: [.json],
            groups: [StoreArguments.options()],
            completes: .name, summary: "Show where the value of a setting comes from.",
            discussion:
                "It names the file and the line, or the journal beside it, the kind and the size; for a shared directory, "
                + "the device that made the last change, and when. With --app, it also shows the files of the "
                + "administrator, which come before and after the program's own."
        ) { tool, invocation, streams in
            try tool.explain(invocation, streams)
        }
    }
}

/// A fact about a value: its name for programs, its name for people, and its text.
private struct Fact {
    let member: String
    let title: String
    let text: String
    var json: JSONText?

    var memberValue: JSONText { json ?? .string(text) }
}

extension SettingsTool {
    fileprivate func explain(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let name = try name(invocation.text(0))
        // A program may have only the administrator's files.
        let isProgram = if case .app = try StoreArguments(invocation).place { true } else { false }
        return try withStore(invocation, streams, for: isProgram ? .readingIfPresent : .reading) { opened in
            let layers = try layers(of: name, opened)
            let value = try opened.value(named: name)
            if value == nil && layers.allSatisfy({ $0.value == nil }) {
                if let missing = opened.missing { throw missing }
                throw opened.nothing(named: name)
            }
            let facts = try facts(of: name, value, opened)
            if invocation.has(.json) {
                var members: [(name: String, value: JSONText)] = [("name", .string(name))]
                members += facts.map { ($0.member, $0.memberValue) }
                if !layers.isEmpty {
                    let list = layers.map { layer in
                        var members: [(name: String, value: JSONText)] = [
                            ("layer", .string(layer.name)), ("store", .string(layer.store)),
                            ("value", layer.value?.jsonText ?? .value("null")),
                            ("holdsValue", .bool(layer.value != nil)),
                        ]
                        if let problem = layer.problem { members.append(("problem", .string("\(problem)"))) }
                        return JSONText.object(members)
                    }
                    members.append(("layers", .array(list)))
                }
                try streams.print(JSONText.object(members).indented + "\n")
                return .success
            }
            var text = streams.bold(TextLayout.escaped(name)) + "\n"
            for line in TextLayout.table(facts.map { [$0.title, TextLayout.escaped($0.text)] }, indentation: 2) {
                text += line + "\n"
            }
            if !layers.isEmpty {
                text += "\n"
                let rows = layers.map { layer in
                    let missing = layer.problem == nil ? "-" : "(cannot be read)"
                    return [layer.name, layer.value?.summary(columns: 30) ?? missing, TextLayout.escaped(layer.store)]
                }
                for line in TextLayout.table(rows, indentation: 2) { text += line + "\n" }
                for problem in layers.compactMap(\.problem) {
                    text += "\n"
                    let message = TextLayout.escaped("\(problem)")
                    for line in TextLayout.wrapped(message, to: TextLayout.width - 2) { text += "  \(line)\n" }
                }
            }
            try streams.print(text)
            return .success
        }
    }

    private func facts(of name: String, _ value: UntypedValue?, _ opened: OpenedStore) throws -> [Fact] {
        guard let value else { return [Fact(member: "store", title: "store", text: opened.description)] }
        var facts = [
            Fact(member: "value", title: "value", text: value.summary(columns: 60), json: value.jsonText),
            Fact(member: "kind", title: "kind", text: value.kind.rawValue),
            Fact(
                member: "size", title: "size", text: value.data.count == 1 ? "1 byte" : "\(value.data.count) bytes",
                json: .value("\(value.data.count)")),
            Fact(member: "store", title: "store", text: opened.description),
        ]
        if let store = opened.store as? PropertyListStore { facts += place(of: name, value, store) }
        if let change = (opened.store as? DirectoryStore)?.lastChange(of: name) { facts += origin(change) }
        return facts
    }

    private func place(of name: String, _ value: UntypedValue, _ store: PropertyListStore) -> [Fact] {
        var facts: [Fact] = []
        if let native = store.nativeValue(of: name) {
            facts.append(Fact(member: "storedAs", title: "stored as", text: native.typeName))
            if case .date(let seconds) = native, let date = Date(timeIntervalSinceReferenceDate: seconds).iso8601 {
                facts.append(Fact(member: "date", title: "date", text: date))
            }
        }
        if store.isOnlyInJournal(name) {
            let text = "the value is in the journal beside the file, and not in the file yet"
            facts.append(Fact(member: "isOnlyInJournal", title: "place", text: text, json: .bool(true)))
        } else if let line = store.line(of: name, holding: value.data) {
            facts.append(
                Fact(member: "line", title: "place", text: "line \(line) of the file", json: .value("\(line)")))
        } else {
            facts.append(Fact(member: "isInFile", title: "place", text: "in the file", json: .bool(true)))
        }
        return facts
    }

    private func origin(_ change: DirectoryStore.LastChange) -> [Fact] {
        let own = change.isOwn ? ", this device" : ""
        let device = change.deviceName.map { "\($0) (replica \(change.replica)\(own))" }
        let time = change.date.timeIntervalSince1970
        let when = time == 0 ? "imported, at an unknown time" : LocalTime.text(secondsSince1970: time)
        return [
            Fact(member: "device", title: "changed by", text: device ?? "replica \(change.replica)\(own)"),
            Fact(member: "changed", title: "changed at", text: when),
        ]
    }

    // MARK: Layers

    private struct Layer {
        let name: String
        let store: String
        let value: UntypedValue?
        /// Why the layer cannot be read; nil if it can.
        let problem: SettingsError?
    }

    /// The values of a program's layers under a name, the highest first. Nil for other stores, and for a program whose
    /// administrator's files are readable and have no value.
    private func layers(of name: String, _ opened: OpenedStore) throws -> [Layer] {
        guard case .app(let app) = opened.place else { return [] }
        let layered = try LayeredStore.standard(
            over: opened.store, named: app, environmentPrefix: nil, arguments: [],
            environment: ProcessInfo.processInfo.environment)
        let candidates = try layered.candidates(for: OpenedStore.key(name))
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
