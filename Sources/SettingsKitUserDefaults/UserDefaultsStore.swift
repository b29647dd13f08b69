import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

/// Keeps settings in `UserDefaults`, as native values that the rest of an app can read and write.
///
/// A setting of `String` is a string in `UserDefaults`, one of `Int` a number, and so on, as `object(forKey:)` shows.
/// Values that an app has stored natively (Booleans, numbers, strings, dates, data, arrays, dictionaries) are read by a
/// setting of the matching type. Values whose bytes cannot be restored from a native value are stored as data.
///
/// Other code also changes `UserDefaults`, so each `get` asks it. Listeners receive changes that are made through this
/// store at once. Changes of other code are noticed on Apple platforms when `UserDefaults` posts
/// `didChangeNotification`, and on Linux, where that is not posted, at ``synchronize()`` and whenever this store
/// writes.
///
/// On Linux, `UserDefaults` writes its file only when asked, and processes that share a file overwrite each other's
/// values. This store asks it soon after each change and at exit, but cannot prevent the overwriting: prefer
/// ``PropertyListStore`` there.
public final class UserDefaultsStore: SettingsStore {
    /// The app's standard defaults.
    public static let standard = UserDefaultsStore(.standard, name: "standard")

    private struct State {
        /// The known bytes under the names that were read, to find changes of other code.
        var seen: [String: Data?] = [:]
        /// Whether a notification concerns a write of this store.
        var isWriting = false
        /// How many nested calls of `locked` are running.
        var depth = 0
        var observation: NotificationObservation?
        var writer: WriteBehind?
    }

    private let defaults: SharedUserDefaults
    private let name: String
    /// Held during a whole operation. Recursive, because `UserDefaults` posts its notification while it is written, and
    /// observers of that may read and write settings.
    private let access = NSRecursiveLock()
    private let state = Mutex(State())
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)

    /// Opens the defaults of a suite, which other code can also open: an app group on Apple platforms.
    ///
    /// - Precondition: `suite` is not a name that `UserDefaults` refuses: the app's own bundle identifier and the
    ///   global domain.
    public convenience init(suite: String) {
        guard let defaults = UserDefaults(suiteName: suite) else {
            preconditionFailure("UserDefaults does not take \"\(suite)\" as the name of a suite.")
        }
        self.init(defaults, name: suite)
    }

    /// Uses another object for the defaults, a subclass for example.
    ///
    /// - Parameters:
    ///   - defaults: The object, which the caller no longer uses.
    ///   - name: The name of the store in messages.
    public init(_ defaults: sending UserDefaults, name: String) {
        self.defaults = SharedUserDefaults(defaults)
        self.name = name
        let observation = self.defaults.onChange { [weak self] in self?.noticeOutsideChanges() }
        state.withLock { $0.observation = observation }
        #if !canImport(Darwin)
            let background = WriteBehind { [weak self] in
                try self?.synchronize()
            } report: { [weak self] error in
                guard let self else { return }
                ownFeed.report(.wrap(error, as: .notSaved, store: storeDescription))
            }
            state.withLock { $0.writer = background }
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            _ = defaults.use { $0.synchronize() }
        #endif
    }

    /// Publishes changes made through this store at once, and changes of other code when `UserDefaults` reports them.
    public var feed: SettingsStoreFeed? { ownFeed }

    /// "UserDefaultsStore" and the suite.
    public var storeDescription: String { "UserDefaultsStore (\(name))" }

    /// Returns the bytes of the object under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        locked {
            let data = read(key.name)
            // Only the first time: listeners have not been notified of a change of other code that is read here.
            state.withLock { if $0.seen[key.name] == nil { $0.seen[key.name] = .some(data) } }
            return data
        }
    }

    /// Stores bytes under a key, natively if possible, or removes it. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    /// Applies a batch if its expectations hold in this process. Never throws.
    public func apply(_ batch: SettingsStoreBatch) -> Bool {
        let isApplied = locked {
            for expectation in batch.expectations where read(expectation.key.name) != expectation.data {
                return false
            }
            var (changes, outsideChanges): ([SettingsStoreChange], [SettingsStoreChange]) = ([], [])
            for write in batch.writes {
                let name = write.key.name
                let old = read(name)
                if let change = outsideChange(of: name, to: old) { outsideChanges.append(change) }
                guard old != write.data else { continue }
                self.write(write.data, under: name)
                note(write.data, under: name)
                changes.append(.init(name: name, from: old, to: write.data))
            }
            ownFeed.publish(outsideChanges, origin: .external)
            ownFeed.publish(changes, origin: .local)
            return true
        }
        state.withLock { $0.writer }?.schedule()
        return isApplied
    }

    /// The names in this suite. Those of the app's standard defaults include names of the system.
    public func keys() -> [String] {
        locked { defaults.use { Array($0.dictionaryRepresentation().keys) } }
    }

    /// Makes `UserDefaults` write its file, as far as it offers that: on Linux at once, on Apple platforms later.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved` if it reports a failure.
    public func synchronize() throws {
        // Outside the lock: it posts notifications, whose observers are foreign code.
        let isDone = defaults.use { $0.synchronize() }
        noticeOutsideChanges()
        guard isDone else { throw SettingsError(.notSaved, store: storeDescription) }
    }

    // MARK: Objects

    /// Names are equal if they are equal as Swift strings. `UserDefaults` on Linux compares them bit by bit, so one
    /// form is used.
    private func composed(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

    private func object(_ name: String) -> PropertyListValue? {
        let (composed, decomposed) = (composed(name), name.decomposedStringWithCanonicalMapping)
        return defaults.use { defaults in
            // An app may have used the decomposed form.
            let object = defaults.object(forKey: composed) ?? defaults.object(forKey: decomposed)
            return object.flatMap(PropertyListValue.init(object:))
        }
    }

    private func read(_ name: String) -> Data? { object(name).map(NativeValue.bytes(of:)) }

    private func write(_ data: Data?, under name: String) {
        // An observer of the notification may write, too.
        let isNested = state.withLock { state in
            defer { state.isWriting = true }
            return state.isWriting
        }
        defer { state.withLock { $0.isWriting = isNested } }
        let old = object(name)
        let new = data.map { PropertyListValue.storable($0, resembling: old) }
        let (composed, decomposed) = (composed(name), name.decomposedStringWithCanonicalMapping)
        // On Linux, removing one form of a name also removes the other, so the value is set last.
        if !decomposed.unicodeScalars.elementsEqual(composed.unicodeScalars) {
            defaults.use { $0.removeObject(forKey: decomposed) }
        }
        // And there, a value that is equal as a Swift string is not replaced, even if its bytes differ.
        if new == nil || new == old { defaults.use { $0.removeObject(forKey: composed) } }
        guard let new else { return }
        defaults.use { $0.set(new.object, forKey: composed) }
        // It may convert a value.
        if let data, read(name) != data { defaults.use { $0.set(data, forKey: composed) } }
    }

    private func noticeOutsideChanges() {
        locked {
            let (names, isWriting) = state.withLock { (Array($0.seen.keys), $0.isWriting) }
            // A change that is being written here is published where it is written.
            if isWriting { return }
            ownFeed.publish(names.compactMap { outsideChange(of: $0, to: read($0)) }, origin: .external)
        }
    }

    /// Notes what is stored under a name, and returns the change if other code has made one since the name was read first.
    private func outsideChange(of name: String, to now: Data?) -> SettingsStoreChange? {
        state.withLock { state in
            guard let before = state.seen[name], before != now else { return nil }
            state.seen[name] = .some(now)
            return SettingsStoreChange(name: name, from: before, to: now)
        }
    }

    private func note(_ data: Data?, under name: String) { state.withLock { $0.seen[name] = .some(data) } }

    /// Calls `body` with the lock held. Listeners run after the outermost call has released it.
    private func locked<R>(_ body: () -> R) -> R {
        access.lock()
        state.withLock { $0.depth += 1 }
        let result = body()
        let isOutermost = state.withLock { state in
            state.depth -= 1
            return state.depth == 0
        }
        access.unlock()
        if isOutermost { ownFeed.flush() }
        return result
    }
}
