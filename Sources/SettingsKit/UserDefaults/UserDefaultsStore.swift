import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

// @unchecked: `UserDefaults` is documented to be thread-safe but not marked so on Linux. The mutable properties are used
// only inside `locked`. The other properties are immutable and Sendable.
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
public final class UserDefaultsStore: SettingsStore, @unchecked Sendable {
    /// The app's standard defaults.
    public static let standard = UserDefaultsStore(.standard, name: "standard")

    private let defaults: UserDefaults
    private let name: String
    /// Recursive, because `UserDefaults` posts its notification while it is written, and observers of that may read and
    /// write settings.
    private let access = NSRecursiveLock()
    /// The known bytes under the names that were read, to find changes of other code.
    private var seen: [String: Data?] = [:]
    /// Whether a notification concerns a write of this store.
    private var isWriting = false
    /// How many nested calls of `locked` are running.
    private var depth = 0
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)
    private let observation = NotificationObservation()
    private let writer: Mutex<WriteBehind?> = Mutex(nil)

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

    private init(_ defaults: UserDefaults, name: String) {
        self.defaults = defaults
        self.name = name
        observation.begin(UserDefaults.didChangeNotification, from: defaults) { [weak self] in
            self?.noticeOutsideChanges()
        }
        #if !canImport(Darwin)
            let background = WriteBehind { [weak self] in
                try self?.synchronize()
            } report: { [weak self] error in
                guard let self else { return }
                ownFeed.report(.wrap(error, as: .notSaved, store: storeDescription))
            }
            writer.withLock { $0 = background }
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            defaults.synchronize()
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
            seen[key.name] = .some(data)
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
            var changes: [SettingsStoreChange] = []
            for write in batch.writes {
                let name = write.key.name
                let old = read(name)
                guard old != write.data else { continue }
                self.write(write.data, under: name)
                seen[name] = .some(write.data)
                changes.append(.init(name: name, from: old, to: write.data))
            }
            ownFeed.publish(changes, origin: .local)
            return true
        }
        writer.withLock { $0 }?.schedule()
        return isApplied
    }

    /// The names in this suite. Those of the app's standard defaults include names of the system.
    public func keys() -> [String] {
        locked { Array(defaults.dictionaryRepresentation().keys) }
    }

    /// Makes `UserDefaults` write its file, as far as it offers that: on Linux at once, on Apple platforms later.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved` if it reports a failure.
    public func synchronize() throws {
        // Outside the lock: it posts notifications, whose observers are foreign code.
        let isDone = defaults.synchronize()
        noticeOutsideChanges()
        guard isDone else { throw SettingsError(.notSaved, store: storeDescription) }
    }

    // MARK: Objects

    /// Names are equal if they are equal as Swift strings. `UserDefaults` on Linux compares them bit by bit, so one
    /// form is used.
    private func composed(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

    private func object(_ name: String) -> Any? {
        // An app may have used the decomposed form.
        defaults.object(forKey: composed(name))
            ?? defaults.object(forKey: name.decomposedStringWithCanonicalMapping)
    }

    private func read(_ name: String) -> Data? {
        object(name).flatMap(PropertyListValue.init(object:)).map(NativeValue.bytes(of:))
    }

    private func write(_ data: Data?, under name: String) {
        isWriting = true
        defer { isWriting = false }
        let old = object(name).flatMap(PropertyListValue.init(object:))
        let new = data.map { storable($0, resembling: old) }
        // On Linux, removing one form of a name also removes the other, so the value is set last.
        let decomposed = name.decomposedStringWithCanonicalMapping
        if !decomposed.unicodeScalars.elementsEqual(composed(name).unicodeScalars) {
            defaults.removeObject(forKey: decomposed)
        }
        // And there, a value that is equal as a Swift string is not replaced, even if its bytes differ.
        if new == nil || new == old { defaults.removeObject(forKey: composed(name)) }
        guard let new else { return }
        defaults.set(new.object, forKey: composed(name))
        // It may convert a value.
        if let data, read(name) != data { defaults.set(data, forKey: composed(name)) }
    }

    /// The native value of bytes, if they can be restored from it through Foundation objects, whose dictionaries have
    /// no order; otherwise the bytes as data.
    private func storable(_ data: Data, resembling old: PropertyListValue?) -> PropertyListValue {
        let native = NativeValue.value(for: data, resembling: old)
        let read = PropertyListValue(object: native.object).map(NativeValue.bytes(of:))
        return read == data && !native.containsMinusZero ? native : .data(data)
    }

    private func noticeOutsideChanges() {
        locked {
            // A change that is being written here is published where it is written.
            if isWriting { return }
            var changes: [SettingsStoreChange] = []
            for (name, before) in seen {
                let now = read(name)
                if now == before { continue }
                seen[name] = .some(now)
                changes.append(.init(name: name, from: before, to: now))
            }
            ownFeed.publish(changes, origin: .external)
        }
    }

    /// Calls `body` with the lock held. Listeners run after the outermost call has released it.
    private func locked<R>(_ body: () -> R) -> R {
        access.lock()
        depth += 1
        let result = body()
        depth -= 1
        let isOutermost = depth == 0
        access.unlock()
        if isOutermost { ownFeed.flush() }
        return result
    }
}

/// An observation of a notification, which ends with this object.
private final class NotificationObservation: Sendable {
    private struct Token: @unchecked Sendable {
        // It is only passed to the notification center, in one place, in `deinit`.
        let object: any NSObjectProtocol
    }

    private let token = Mutex<Token?>(nil)

    func begin(_ name: Notification.Name, from object: Any, _ body: @escaping @Sendable () -> Void) {
        let observer = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { _ in
            body()
        }
        let begun = Token(object: observer)
        token.withLock { $0 = begun }
    }

    deinit {
        if let token = token.withLock({ $0 }) { NotificationCenter.default.removeObserver(token.object) }
    }
}
