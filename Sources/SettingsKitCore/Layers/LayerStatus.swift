#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of one layer in ``LayeredContents``.
struct LayerStatus: Sendable {
    /// Whether the contents always have all values of the layer. If not, each access reads the layer.
    var isFollowed = false
    /// Whether the layer is to be loaded: it was not loaded yet, could not be, or has just begun to publish all of its changes.
    var isLoadDue = true
    /// The error if the layer could not be read the last time.
    var failure: SettingsError?
    /// The error because of which the layer's values before loading are unknown; nil once its file is intact.
    var damage: SettingsError?
    /// The time at which using the store makes it try again to load the layer.
    var nextTry = ContinuousClock.now
    /// Whether all values have ever been known.
    var wasLoaded = false
    /// The names whose values were read, in a layer that was not loaded.
    var readNames: Set<String> = []
    /// The values that have changed since loading began; nil while the layer is not being loaded.
    var changesWhileLoading: [String: Data?]?
    /// The number of times that the layer has published while it is not followed.
    var revision = 0

    static let text = LayerStatus(isFollowed: true, isLoadDue: false, wasLoaded: true)

    /// Returns whether the layer's value under a name is known, now or from when it could last be read.
    func knows(_ name: String) -> Bool { wasLoaded || readNames.contains(name) }

    /// Whether an access reads the layer: it is not followed, and it is not waiting to become readable.
    var isReadThrough: Bool { !isFollowed && (failure == nil || !isLoadDue) }
}
