#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How much ``LayeredContents`` know of one layer.
struct LayerStatus: Sendable {
    /// Whether the contents have all values of the layer at any moment. If not, each access reads the layer.
    var isFollowed = false
    /// Whether the layer is to be loaded: it has not been, could not be, or publishes all of its changes since a moment ago.
    var isLoadDue = true
    /// Why the layer could not be read the last time.
    var failure: SettingsError?
    /// Why what the layer held before it was loaded is not known; until its file is intact.
    var damage: SettingsError?
    /// When using the store makes it try again to load the layer.
    var nextTry = ContinuousClock.now
    /// Whether all values were known once.
    var wasLoaded = false
    /// The names whose values were read, in a layer that was not loaded.
    var readNames: Set<String> = []
    /// The values that have changed since loading began; nil while the layer is not being loaded.
    var changesWhileLoading: [String: Data?]?
    /// How often the layer has published, while it is not followed.
    var revision = 0

    /// The pause between two tries that are due to the store's being used.
    static let pauseBetweenTries = Duration.milliseconds(100)

    static let text = LayerStatus(isFollowed: true, isLoadDue: false, wasLoaded: true)

    /// Whether it is known what the layer holds under a name, or held when it could be read.
    func knows(_ name: String) -> Bool { wasLoaded || readNames.contains(name) }

    /// Whether an access reads the layer: it is neither followed nor waits to become readable.
    var isReadThrough: Bool { !isFollowed && (failure == nil || !isLoadDue) }
}
