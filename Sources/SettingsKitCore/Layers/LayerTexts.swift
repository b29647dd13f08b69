/// The texts of a ``LayeredStore``'s layers.
struct LayerTexts: Sendable {
    /// The positions of the layers, and their texts. Without those that never have a value.
    private(set) var all: [(layer: Int, text: any LayerText)]
    /// Whether a text may be replaced.
    let mayChange: Bool
    private let names: [String?]
    private let secretLayers: Set<Int>
    private let writable: Int

    init(_ layers: [LayeredStore.Layer], writable: Int) {
        all = layers.enumerated().compactMap { layer, source in
            source.text.flatMap { $0.isEmpty && source.followed == nil ? nil : (layer, $0) }
        }
        mayChange = layers.contains { $0.followed != nil }
        names = layers.map(\.name)
        secretLayers = Set(layers.indices.filter { layers[$0].isSecret })
        self.writable = writable
    }

    /// The positions of the layers.
    var layers: [Int] { all.map(\.layer) }

    /// Returns the candidates for a name, the highest layer first.
    func candidates(for name: String) -> [SettingsStoreCandidate] {
        if all.isEmpty { return [] }
        let name = SpelledName(name)
        return all.compactMap { candidate(for: name, in: $0.text, of: $0.layer) }
    }

    /// Returns the candidate for a name in the text of a layer; nil if there is none.
    func candidate(for name: SpelledName, in text: any LayerText, of layer: Int) -> SettingsStoreCandidate? {
        var candidate = text.candidate(for: name)
        candidate?.layer = names[layer]
        candidate?.isLocking = layer < writable
        candidate?.isSecret = secretLayers.contains(layer)
        return candidate
    }

    /// Replaces the text of a layer that may change.
    mutating func replace(_ text: any LayerText, of layer: Int) {
        guard let place = all.firstIndex(where: { $0.layer == layer }) else { return }
        all[place].text = text
    }
}
