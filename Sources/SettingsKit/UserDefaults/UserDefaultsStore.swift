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
/// store at once. On Apple platforms they also receive changes of other code, made through any instance of `UserDefaults`
/// or by another process: the store observes each name that was read by key-value observing. (A name with a dot cannot be
/// observed, because it is a path there. Its changes are noticed when `UserDefaults` posts `didChangeNotification`, that
/// is, those of this process.) Foundation on Linux has neither, so there the changes of other code are noticed at
/// ``synchronize()`` and whenever this store writes.
///
/// No lock is held while `UserDefaults` is written, because it then calls observers. If an observer calls the store, or
/// several threads write at the same time, one thread writes all the values, in the order in which they were set. Until
/// then the store returns them from memory.
///
/// On Linux, `UserDefaults` writes its file only when asked, and processes that share a file overwrite each other's
/// values. This store asks it soon after each change and at exit, but cannot prevent the overwriting: prefer
/// ``PropertyListStore`` there.
public final class UserDefaultsStore: SettingsStore {
    /// The app's standard defaults.
    public static let standard = UserDefaultsStore(.standard, name: "standard")

    fileprivate struct State {
        /// The known bytes under the names that were read, to find changes of other code.
        var seen: [String: Data?] = [:]
        /// The values that are set, and not yet in `UserDefaults`.
        var unwritten: [String: Data?] = [:]
        /// The names of those values, in the order in which they were set.
        var unwrittenNames: [String] = []
        /// Whether a thread writes them.
        var isWriting = false
        var observation: NotificationObservation?
        #if canImport(Darwin)
            var keyObservation: UserDefaultsKeyObservation?
        #endif
        var writer: WriteBehind?
    }

    private let defaults: SharedUserDefaults
    private let name: String
    /// Held while `UserDefaults` is read, and not while it is written.
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
    /// - Parameter name: The name of the store in messages.
    public init(_ defaults: sending UserDefaults, name: String) {
        self.defaults = SharedUserDefaults(defaults)
        self.name = name
        let observation = self.defaults.onChange { [weak self] in self?.noticeOutsideChanges() }
        state.withLock { $0.observation = observation }
        #if canImport(Darwin)
            let keyObservation = self.defaults.keyObservation { [weak self] in self?.noticeOutsideChanges() }
            state.withLock { $0.keyObservation = keyObservation }
        #else
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
        let (data, isFirst) = state.withLock { state in
            let data = current(key.name, state)
            // Only the first time: listeners have not been notified of a change of other code that is read here.
            let isFirst = state.seen[key.name] == nil
            if isFirst { state.seen[key.name] = .some(data) }
            return (data, isFirst)
        }
        if isFirst { observe([key.name]) }
        return data
    }

    /// Stores bytes under a key, natively if possible, or removes it. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    /// Applies a batch if its expectations hold in this process. Never throws.
    public func apply(_ batch: SettingsStoreBatch) -> Bool {
        let newNames: [String]? = state.withLock { state in
            for expectation in batch.expectations where current(expectation.key.name, state) != expectation.data {
                return nil
            }
            var newNames: [String] = []
            var (changes, outsideChanges): ([SettingsStoreChange], [SettingsStoreChange]) = ([], [])
            for write in batch.writes {
                let name = write.key.name
                let old = current(name, state)
                if let change = state.outsideChange(of: name, to: old) { outsideChanges.append(change) }
                guard old != write.data else { continue }
                state.unwritten[name] = .some(write.data)
                state.unwrittenNames.append(name)
                if state.seen[name] == nil { newNames.append(name) }
                state.seen[name] = .some(write.data)
                changes.append(.init(name: name, from: old, to: write.data))
            }
            ownFeed.publish(outsideChanges, origin: .external)
            ownFeed.publish(changes, origin: .local)
            return newNames
        }
        guard let newNames else { return false }
        writeUnwritten()
        ownFeed.flush()
        observe(newNames)
        state.withLock { $0.writer }?.schedule()
        return true
    }

    /// The names in this suite. Those of the app's standard defaults include names of the system.
    public func keys() -> [String] {
        state.withLock { state in
            let stored = defaults.use { Array($0.dictionaryRepresentation().keys) }
            if state.unwritten.isEmpty { return stored }
            let removed = Set(state.unwritten.filter { $0.value == nil }.keys)
            return Array(Set(stored).union(state.unwritten.keys).subtracting(removed))
        }
    }

    /// Makes `UserDefaults` write its file, as far as it offers that: on Linux at once, on Apple platforms later.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved` if it reports a failure.
    public func synchronize() throws {
        writeUnwritten()
        #if !canImport(Darwin)
            // Another thread may be writing. `UserDefaults` calls nothing there that could wait for this thread.
            while state.withLock({ $0.isWriting }) { Thread.sleep(forTimeInterval: 0.000_1) }
        #endif
        // Outside the lock: it posts notifications, whose observers are foreign code.
        let isDone = defaults.use { $0.synchronize() }
        noticeOutsideChanges()
        guard isDone else { throw SettingsError(.notSaved, store: storeDescription) }
    }

    private func noticeOutsideChanges() {
        state.withLock { state in
            let changes = state.seen.keys.compactMap { name in
                state.outsideChange(of: name, to: current(name, state))
            }
            ownFeed.publish(changes, origin: .external)
        }
        ownFeed.flush()
    }

    /// Begins to notice changes of other code under these names.
    private func observe(_ names: [String]) {
        #if canImport(Darwin)
            let observation = state.withLock { $0.keyObservation }
            for name in names { observation?.observe(composed(name)) }
        #endif
    }

    // MARK: Objects

    /// The bytes of a value: those that are about to be written, or those of the object in `UserDefaults`.
    private func current(_ name: String, _ state: State) -> Data? {
        if let unwritten = state.unwritten[name] { return unwritten }
        return object(name).map(NativeValue.bytes(of:))
    }

    /// Writes the values that are set, unless another thread does, or this one further up.
    private func writeUnwritten() {
        while let (name, data) = state.withLock({ $0.beginWriting() }) {
            write(data, under: name)
            state.withLock { $0.endWriting(name) }
        }
    }

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

    private func write(_ data: Data?, under name: String) {
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
        if let data, object(name).map(NativeValue.bytes(of:)) != data {
            defaults.use { $0.set(data, forKey: composed) }
        }
    }
}

extension UserDefaultsStore.State {
    /// Takes the value that is to be written next; nil if there is none, or if a thread is writing.
    fileprivate mutating func beginWriting() -> (name: String, data: Data?)? {
        guard !isWriting, let name = unwrittenNames.first else { return nil }
        isWriting = true
        unwrittenNames.removeFirst()
        return (name, unwritten[name] ?? nil)
    }

    fileprivate mutating func endWriting(_ name: String) {
        isWriting = false
        if !unwrittenNames.contains(name) { unwritten[name] = nil }
    }

    /// Notes what is stored under a name, and returns the change if other code has made one since the name was read first.
    fileprivate mutating func outsideChange(of name: String, to now: Data?) -> SettingsStoreChange? {
        guard let before = seen[name], before != now else { return nil }
        seen[name] = .some(now)
        return SettingsStoreChange(name: name, from: before, to: now)
    }
}
