import SettingsKit

/// Where the value of a setting comes from.
package struct Explanation {
    /// A fact about a value: its name in JSON and for people, nil if only JSON shows it; its text, and its JSON, nil for the text.
    package typealias Fact = (member: String, title: String?, text: String, json: JSONText?)

    /// The contents of one layer.
    package struct Layer {
        package var name: String
        /// The text; nil if the layer holds nothing.
        package var text: String?
        /// The place of the value in the layer, such as a variable.
        package var location: String?
        package var remark = ""
        package var isInForce = false

        package init(name: String, text: String?, location: String? = nil, isInForce: Bool = false) {
            self.name = name
            self.text = text
            self.location = location
            self.isInForce = isInForce
        }
    }

    let name: String
    /// The text of the value; nil if there is none.
    let text: String?
    package var facts: [Fact] = []
    /// The layers, the highest first, with their JSON.
    package var layers: [(shown: Layer, json: JSONText)] = []
    /// Paragraphs at the end.
    package var notes: [String] = []

    package init(name: String, text: String?) {
        self.name = name
        self.text = text
    }

    var json: JSONText {
        let layers: [(name: String, value: JSONText)] =
            layers.isEmpty ? [] : [("layers", .array(layers.map(\.json)))]
        return .object(
            [("name", .string(name))] + facts.map { ($0.member, $0.json ?? .string($0.text)) } + layers)
    }

    func shown() -> String {
        let name = TextLayout.escaped(name)
        let room = max(20, TextLayout.width - TextLayout.columns(name) - 2)
        let value = text.map { ": " + TextLayout.truncated(TextLayout.escaped($0), to: room) } ?? ""
        var text = name + value + "\n"
        let facts = facts.compactMap { fact in fact.title.map { [$0, TextLayout.escaped(fact.text)] } }
        for line in TextLayout.table(facts, indentation: 2) { text += line + "\n" }
        let hasLocations = layers.contains { $0.shown.location != nil }
        let rows = layers.map(\.shown).map { layer in
            let value = TextLayout.truncated(TextLayout.escaped(layer.text ?? "–"), to: 24)
            let cells = [layer.name] + (hasLocations ? [layer.location ?? ""] : []) + [layer.remark]
            return [TextLayout.escaped(cells[0]), value] + cells.dropFirst().map { TextLayout.escaped($0) }
        }
        if !rows.isEmpty { text += "\n" }
        for line in TextLayout.table(rows, indentation: 2) { text += line + "\n" }
        for note in notes {
            text += "\n"
            for line in TextLayout.wrapped(TextLayout.escaped(note), to: TextLayout.width) { text += line + "\n" }
        }
        return text
    }
}
