import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

// @unchecked: `UserDefaults` is documented to be thread-safe but not marked so on Linux. The mutable properties are used
// only inside `locked`. The other properties are immutable and Sendable.
/// Settings in `UserDefaults`, as native values that the rest of an app can read and write there.
///
/// A setting of `String` is a string in `UserDefaults`, one of `Int` a number, and so on: `object(forKey:)` shows what a
/// person would expect. What an app has stored natively (Booleans, numbers, strings, dates, data, arrays, dictionaries)
/// reads as a setting of the matching type. Values whose bytes would not come back from a native value are stored as data.
///
/// Others change `UserDefaults` as well, so it is asked at each `get`. Listeners hear at once of what is set through this
/// store. Of what others set they hear on Apple platforms when `UserDefaults` posts `didChangeNotification`, on Linux,
/// where that is not posted, at ``synchronize()`` and whenever this store writes.
///
/// On Linux `UserDefaults` writes its file only when it is told to, and processes that share a file overwrite each other's
/// values. This store tells it to soon after each change and at exit; the other thing cannot be mended from outside:
/// prefer ``PropertyListStore`` there.
public final class UserDefaultsStore: SettingsStore, @unchecked Sendable {
    /// The app's standard defaults.
    public static let standard = UserDefaultsStore(.standard, name: "standard")

    private let defaults: UserDefaults
    private let name: String
    /// Recursive, because `UserDefaults` posts its notification while it is written: whoever observes that may read and
    /// write settings.
    private let access = NSRecursiveLock()
    /// What is known to be under the names that were asked for; to find out what others have changed.
    private var seen: [String: Data?] = [:]
    /// Whether a notification is about what this store is writing.
    private var isWriting = false
    /// How many calls of `locked` are under way, one inside the other.
    private var depth = 0
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)
    private let observation = NotificationObservation()
    private let writer: Mutex<WriteBehind?> = Mutex(nil)

    /// The defaults of a suite, shared with whoever opens the same suite: an app group on Apple platforms.
    ///
    /// - Precondition: `suite` is not a name that `UserDefaults` refuses: the app's own bundle identifier and the global
    ///   domain.
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

    /// Announces what is set through this store at once, and what others set when `UserDefaults` says so.
    public var feed: SettingsStoreFeed? { ownFeed }

    /// "UserDefaultsStore" and the suite.
    public var storeDescription: String { "UserDefaultsStore (\(name))" }

    /// The bytes that stand for the object under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        locked {
            let data = read(key.name)
            seen[key.name] = .some(data)
            return data
        }
    }

    /// Stores bytes under a key, natively if they allow it, or removes it. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    /// Carries out a batch if its expectations hold, as far as this process is concerned. Never throws.
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

    /// The names in this suite; those of the app's standard defaults include what the system has put there.
    public func keys() -> [String] {
        locked { Array(defaults.dictionaryRepresentation().keys) }
    }

    /// Has `UserDefaults` write its file, as far as that offers it: on Linux at once, on Apple platforms when it likes.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved` if it says that it did not.
    public func synchronize() throws {
        // Outside of the lock: it posts notifications, and who observes them is foreign.
        let isDone = defaults.synchronize()
        noticeOutsideChanges()
        guard isDone else { throw SettingsError(.notSaved, store: storeDescription) }
    }

    // MARK: Objects

    /// Names are equal as Swift strings are; `UserDefaults` on Linux compares them bit by bit, so one form is used.
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
        // On Linux, removing one form of a name removes the other, too: the value is set last.
        let decomposed = name.decomposedStringWithCanonicalMapping
        if !decomposed.unicodeScalars.elementsEqual(composed(name).unicodeScalars) {
            defaults.removeObject(forKey: decomposed)
        }
        // And there a value that is equal as Swift strings are is not replaced, though its bytes are others.
        if new == nil || new == old { defaults.removeObject(forKey: composed(name)) }
        guard let new else { return }
        defaults.set(new.object, forKey: composed(name))
        // It may have its own idea of a value.
        if let data, read(name) != data { defaults.set(data, forKey: composed(name)) }
    }

    /// The native value that stands for bytes, if they come back from it as Foundation objects, whose dictionaries have no
    /// order; else the bytes as data.
    private func storable(_ data: Data, resembling old: PropertyListValue?) -> PropertyListValue {
        let native = NativeValue.value(for: data, resembling: old)
        let read = PropertyListValue(object: native.object).map(NativeValue.bytes(of:))
        return read == data && !native.containsMinusZero ? native : .data(data)
    }

    private func noticeOutsideChanges() {
        locked {
            // What is being written here is announced where it is written.
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

    /// Calls `body` with the lock held, and lets listeners run after the outermost call has released it.
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

/// An observation of a notification, which ends with it.
private final class NotificationObservation: Sendable {
    private struct Token: @unchecked Sendable {
        // Only handed back to the notification center, from one place, in `deinit`.
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
