import SettingsCommandLine
import SettingsKit

extension OpenedStore {
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
            return streams.bold(TextLayout.padded(name, to: nameWidth)) + "  " + streams.dim(kind) + "  \(summary)\n"
        }
    }
}
