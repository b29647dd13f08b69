import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var list: Self {
        Self(
            name: "list", options: [.json], groups: [StoreArguments.options()],
            summary: "Show all settings with their kinds and values.",
            discussion:
                "Values that do not fit into the line are cut off; --json has them whole. If the store is damaged, its "
                + "intact part is shown, and the exit code is 1."
        ) { tool, invocation, streams in
            try tool.list(invocation, streams)
        }
    }

    static var get: Self {
        Self(
            name: "get", operands: "NAME", operandCount: 1...1, options: [.json], groups: [StoreArguments.options()],
            completes: .name, summary: "Print the value of a setting.",
            discussion:
                "Text is printed without quotation marks, data in base 64, everything else as JSON. Control characters "
                + "other than tabs and line breaks appear as escapes. With --json, the value is exact."
        ) { tool, invocation, streams in
            try tool.get(invocation, streams)
        }
    }
}

extension SettingsTool {
    /// The widest column of names.
    private static var nameWidth: Int { 40 }

    fileprivate func list(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        try withStore(invocation, streams, for: .reading) { opened in
            var settings: [(name: String, value: UntypedValue)] = []
            for name in try opened.names() {
                // It may have been removed meanwhile.
                if let value = try opened.value(named: name) { settings.append((name, value)) }
            }
            if invocation.has(.json) {
                let list = settings.map { setting in
                    JSONText.object([
                        ("name", .string(setting.name)), ("kind", .string(setting.value.kind.rawValue)),
                        ("value", setting.value.jsonText),
                    ])
                }
                try streams.print(JSONText.array(list).indented + "\n")
            } else {
                try print(settings, streams)
            }
            return opened.isDamaged ? .failure : .success
        }
    }

    private func print(_ settings: [(name: String, value: UntypedValue)], _ streams: CommandStreams) throws {
        let names = settings.map { TextLayout.escaped($0.name) }
        let nameWidth = min(names.map(TextLayout.columns).max() ?? 0, Self.nameWidth)
        let kindWidth = settings.map(\.value.kind.rawValue.count).max() ?? 0
        var text = ""
        for (name, setting) in zip(names, settings) {
            let kind = TextLayout.padded(setting.value.kind.rawValue, to: kindWidth)
            let taken = max(TextLayout.columns(name), nameWidth) + kindWidth + 4
            let value = setting.value.summary(columns: max(streams.width - taken, 20))
            text += streams.bold(TextLayout.padded(name, to: nameWidth)) + "  " + streams.dim(kind) + "  \(value)\n"
            if text.utf8.count > 65_536 {
                try streams.print(text)
                text = ""
            }
        }
        if !text.isEmpty { try streams.print(text) }
    }

    fileprivate func get(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let name = try name(invocation.text(0))
        return try withStore(invocation, streams, for: .reading) { opened in
            guard let value = try opened.value(named: name) else { throw opened.nothing(named: name) }
            let text =
                invocation.has(.json) ? value.jsonText.indented : TextLayout.escaped(value.text, keepsLines: true)
            try streams.print(text + "\n")
            return .success
        }
    }
}

extension OpenedStore {
    /// The failure that nothing is stored under a name.
    func nothing(named name: String) -> CommandFailure {
        let similar = (try? store.keys()).flatMap { SimilarName.find(name, among: Array($0.prefix(2_000))) }
        let hint = similar.map { " Did you mean \(quoted($0))?" } ?? ""
        return .failure("\(description) has no setting \(quoted(name)).\(hint)")
    }
}
