import Foundation
import SettingsKit

/// A small structure, as in many settings.
struct Profile: Codable, Sendable {
    var name = "Ann"
    var age = 40
    var score = 2.5
}

/// A record of numbers only.
struct Counters: SettingsRecord {
    var count = 1
    var limit = 10
    var isActive = true

    static let empty = Counters()
}

/// A record of fifty numbers: the fields of a nested record are fields of the outer one.
struct FiftyCounters: SettingsRecord {
    var first = TenCounters()
    var second = TenCounters()
    var third = TenCounters()
    var fourth = TenCounters()
    var fifth = TenCounters()

    static let empty = FiftyCounters()
}

struct TenCounters: SettingsRecord {
    var count0 = 0
    var count1 = 0
    var count2 = 0
    var count3 = 0
    var count4 = 0
    var count5 = 0
    var count6 = 0
    var count7 = 0
    var count8 = 0
    var count9 = 0

    static let empty = TenCounters()
}

/// A typical record.
struct Parameters: SettingsRecord {
    var isDetailed = false
    var apiURL: URL?
    var armedAt: Date?

    static let empty = Parameters()
}

// As the guides write settings: what is measured is what programs do.
extension SettingsService.SettingDefinition {
    static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    static let windowCount = Setting<Int>("windowCount", in: .defaults, default: 0)
    static let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
    static let theme = Setting<String>("theme", in: .defaults, default: "")
    static let profile = Setting<Profile>("profile", in: .defaults, default: Profile())
}

/// A service in which one setting is set repeatedly.
final class Writer {
    let settings: SettingsService
    private let setting: Setting<Int>
    /// Each value differs from the one before, because equal ones are not written.
    private var number = 0

    init(_ settings: SettingsService, _ setting: Setting<Int> = .launchCount) {
        (self.settings, self.setting) = (settings, setting)
        settings.set(setting, to: next())
    }

    /// Over a property list with other keys.
    convenience init(keyCount: Int) throws {
        self.init(SettingsService(defaults: try TemporaryFolder().propertyList(keyCount: keyCount)))
    }

    /// A value that differs from the one before.
    func next() -> Int {
        number += 1
        return number
    }

    func set(_ count: Int) -> Double { repeating(count) { settings.set(setting, to: next()) } }

    func update(_ count: Int) -> Double { repeating(count) { settings.update(setting) { $0 += 1 } } }

    /// Sets two settings in a transaction.
    func setTwo(_ count: Int) -> Double {
        repeating(count) {
            let number = next()
            settings.transaction { transaction in
                transaction.set(setting, to: number)
                transaction.set(.windowCount, to: number)
            }
        }
    }

    func setAndSynchronize(_ count: Int) -> Double {
        repeating(count) {
            settings.set(setting, to: next())
            try settings.synchronize()
        }
    }
}

extension PropertyListStore {
    /// The store as the writable one of five layers.
    func amongLayers() throws -> LayeredStore {
        try LayeredStore([
            .locked(MemoryStore(), name: "managed"), .arguments(["--verbose"]),
            .environment(prefix: "BENCHMARK_", ["BENCHMARK_COLOR": "red"]), .writable(self),
            .fallback(MemoryStore(["launchCount": Data("7".utf8)]), name: "system"),
        ])
    }
}

/// The least that an operation can cost that survives the end of the process and excludes other processes.
struct BareAppend {
    private static let bytes = [UInt8](repeating: 1, count: 64)
    private let descriptor: Int32

    init(_ file: URL) { descriptor = open(file.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

    /// Locks the file, appends 64 bytes, and unlocks it.
    @inline(__always)
    func callAsFunction() {
        flock(descriptor, LOCK_EX)
        use(write(descriptor, Self.bytes, Self.bytes.count))
        flock(descriptor, LOCK_UN)
    }
}
