import Foundation
import SettingsKitCore
import Testing

@Suite("Records")
struct RecordTests {
    private let problems = Recorder<SettingsError>()

    private func network(_ store: any SettingsStore) throws -> SettingsStorage<Parameters> {
        try SettingsStorage(name: "network", in: SettingsService.over(store, problems))
    }

    struct Everything: SettingsRecord, Equatable {
        enum Theme: String, Codable { case light, dark }
        enum Shape: Codable, Equatable { case circle(radius: Double), none }
        struct Nested: Codable, Equatable {
            var name = "inner"
            var deeper: [String: [Bool?]] = [:]
        }

        var large: UInt64 = 3
        var double = 0.5
        var decimal = Decimal(1)
        var text = "text"
        var caption: String? = "caption"
        var data = Data([1, 2])
        var url = URL(string: "https://example.org/a?b=c&d=%20")
        var theme = Theme.light
        var shape = Shape.none
        var nested = Nested()
        var nothing: Nested?
        var optionals: [Int?] = []
        var byNumber = [1: "a"]
        var range = 1...2

        static let empty = Everything()

        static let other = Everything(
            large: .max, double: -.greatestFiniteMagnitude,
            decimal: Decimal(sign: .minus, exponent: -7, significand: 123_456_789),
            text: "quote \" backslash \\ slash / 🧮 e\u{301} \u{0} \u{2028} \r\n\t", caption: nil, data: Data(0...255),
            url: nil, theme: .dark, shape: .circle(radius: 2.5),
            nested: Nested(name: "}{][,:\"", deeper: ["x,\"y": [true, nil]]), nothing: Nested(), optionals: [nil, 1],
            byNumber: [-1: "", 2: "b"], range: -5...5)
    }

    @Test("Values of every kind come back, from every store", arguments: StoreKind.allCases)
    func roundTrip(kind: StoreKind) throws {
        let store = kind.make()
        let record = try SettingsStorage<Everything>(name: "everything", in: store)
        for value in [Everything.empty, .other, .empty] {
            try record.save(value)
            #expect(try record.get() == value && record.load() == value)
            let service = SettingsService.over(store)
            #expect(try SettingsStorage<Everything>(name: "everything", in: service).get() == value)
        }
    }

    @Test("Each field is stored under its own name, as JSON, and only fields that change are written")
    func ownNames() throws {
        let writes = Recorder<[String]>()
        let store = FeedStore(willWrite: { writes.append($0.map { String($0.key.name.dropFirst(8)) }.sorted()) })
        let record = try network(store)
        record.isDetailed = true
        record.update(\.attempts) { $0 += 1 }
        record.apiURL = URL(string: "https://example.org/a/b")
        record.armedAt = Date(timeIntervalSinceReferenceDate: 2.5)
        #expect(
            store.texts == [
                "network:isDetailed": "true", "network:attempts": "4", "network:apiURL": "\"https://example.org/a/b\"",
                "network:armedAt": "\"2001-01-01T00:00:02.5Z\"",
            ])
        record.doubledAttempts = 18
        var changed = record.get()
        changed.attempts = 8
        changed.isDetailed = false
        record.set(changed)
        record.update {
            $0.apiURL = nil
            $0.armedAt = nil
        }
        #expect(
            writes.all == [
                ["isDetailed"], ["attempts"], ["apiURL"], ["armedAt"], ["attempts"], ["attempts", "isDetailed"],
                ["apiURL", "armedAt"],
            ])
        #expect(store.texts == ["network:isDetailed": "false", "network:attempts": "8"])
    }

    @Test("Setting a field to its current value writes nothing and notifies no listener", arguments: StoreKind.allCases)
    func equalValues(kind: StoreKind) throws {
        let (store, told) = (kind.make(), Recorder<Int>())
        let record = try network(store)
        let subscription = record.observe { told.append($0.attempts) }
        record.attempts = 3
        record.set(.empty)
        record.update { $0.limit = 10 }
        #expect(try store.text("network:attempts") == nil && store.text("network:limit") == nil)
        record.attempts = 4
        record.attempts = 4
        record.update { $0.attempts += 0 }
        record.set(Parameters(attempts: 4))
        #expect(told.all == [4])
        subscription.cancel()
    }

    @Test("nil is stored as null where the default is not nil, and differs from missing")
    func optionals() throws {
        let store = MemoryStore()
        let record = try network(store)
        record.limit = nil
        #expect(try record.limit == nil && store.text("network:limit") == "null" && network(store).limit == nil)
        try store.put("network:limit", nil)
        #expect(record.limit == 10)
        record.limit = nil
        record.limit = 10
        #expect(try store.text("network:limit") == "10")
        // Where the default is nil, nothing is stored for nil, and null is read as nil.
        try store.put("network:apiURL", "null")
        #expect(record.apiURL == nil)
        record.apiURL = URL(string: "a:b")
        record.apiURL = nil
        #expect(try store.text("network:apiURL") == nil)
    }

    @Test("A field has the stored forms of a setting")
    func storedForms() throws {
        struct Fields: SettingsRecord, Equatable {
            var number = 1, flag = false, real = 0.5
            var optional: Int?
            var date = Date.distantPast
            @SettingField(help: "A pause.") var pause = Duration.seconds(1)
            var limit: Duration?
            static let empty = Fields()
        }
        let store = MemoryStore([
            "number": #""8080""#, "flag": "1", "real": #""2.5""#, "optional": #""7""#, "date": "2.5",
            "pause": "[0,1500000000000000000]", "limit": #""2m""#,
        ])
        let date = Date(timeIntervalSinceReferenceDate: 2.5)
        let fields = Fields(
            number: 8_080, flag: true, real: 2.5, optional: 7, date: date, pause: .milliseconds(1_500),
            limit: .seconds(120))
        let record = try SettingsStorage<Fields>(in: store)
        #expect(record.get() == fields)
        record.reset()
        record.set(fields)
        #expect(try store.text("date") == #""2001-01-01T00:00:02.5Z""# && store.text("pause") == #""1.5s""#)
        #expect(try store.text("limit") == #""2m""# && store.text("number") == "8080")
    }

    @Test("Bytes that are no value of a field stay until it is set; others are neither lost nor calculated from them")
    func undecodable() throws {
        let bytes = ["network:attempts": "\"secret\"", "network:limit": "{", "network:apiURL": "[7]"]
        let store = MemoryStore(bytes.merging(["network:isDetailed": "true"]) { $1 })
        let record = try network(store)
        #expect(try record.get() == Parameters(isDetailed: true) && record.load() == Parameters(isDetailed: true))
        #expect(Set(problems.all.compactMap(\.key?.name)) == Set(bytes.keys) && problems.count == 3)
        record.update(\.attempts) { $0 += 1 }
        record.update { $0.limit = ($0.limit ?? 0) + 1 }
        for (name, text) in bytes { #expect(try store.text(name) == text) }
        #expect(problems.codes == Array(repeating: .decodingFailed, count: 5))
        #expect(problems.all.suffix(2).allSatisfy { $0.description.contains("Nothing is calculated") })
        #expect(!"\(problems.all)".contains("secret"))
        record.isDetailed = false
        record.attempts = 4
        record.update(\.attempts) { $0 += 1 }
        #expect(try record.get() == Parameters(attempts: 5) && store.text("network:limit") == "{")
        // A whole record replaces all of them.
        try record.save(record.get())
        #expect(try store.text("network:limit") == "10" && store.text("network:apiURL") == nil)
        #expect(problems.count == 5)
    }

    @Test(
        "Setting the last good value replaces the bytes that are no value",
        arguments: [
            { $0.attempts = 9 }, { try $0.save($0.get()) }, { $0.set($0.get()) }, { $0.set(\.attempts, to: 9) },
        ] as [@Sendable (SettingsStorage<Parameters>) throws -> Void])
    func replacedBytes(change: @Sendable (SettingsStorage<Parameters>) throws -> Void) throws {
        let feed = FeedStore()
        let record = try network(feed)
        feed.changeFromOutside([("network:attempts", "9"), ("network:isDetailed", "true")])
        feed.changeFromOutside([("network:attempts", "\"x\""), ("network:isDetailed", "2")])
        #expect(record.get() == Parameters(isDetailed: true, attempts: 9))
        record.update { $0.limit = 9 }
        #expect(try feed.text("network:attempts") == "\"x\"")
        try change(record)
        #expect(try feed.text("network:attempts") == "9")
        #expect(record.get() == Parameters(isDetailed: true, attempts: 9, limit: 9))
    }

    struct Measured: SettingsRecord, Equatable {
        struct Inner: Codable, Equatable { var float: Float = 0 }

        var ratio = 1.0
        var inner = Inner()
        var count = 0

        static let empty = Measured()
    }

    @Test(
        "A number that JSON cannot hold is refused with the field's key, and nothing is written",
        arguments: [
            ("ratio", Measured(ratio: .nan, count: 1)), ("inner", Measured(inner: .init(float: -.infinity), count: 1)),
        ])
    func notANumber(field: String, value: Measured) throws {
        let store = FeedStore(willWrite: { _ in Issue.record("Nothing may be written.") })
        let record = try SettingsStorage<Measured>(name: "m", in: SettingsService.over(store, problems))
        let error = try #require(throws: SettingsError.self) { try record.save(value) }
        #expect(error.code == .encodingFailed && error.key?.name == "m:\(field)")
        record.set(value)
        record.update { $0 = value }
        #expect(problems.all.map(\.key?.name) == ["m:\(field)", "m:\(field)"] && record.get() == .empty)
    }

    @Test("A property whose assignment changes several fields sets them all, with and without an attribute")
    func assigningToSeveral() throws {
        struct Several: SettingsRecord {
            @SettingField var one = 1 { didSet { observed = one } }
            @SettingField var two = 1
            @SettingField var three = 1
            var plain = 1
            var observed = 1
            var both: Int {
                get { two }
                set { (two, three) = (newValue, 1) }
            }
            var mixed: Int {
                get { two }
                set { (two, plain) = (newValue, newValue) }
            }
            static let empty = Several()
        }
        let record = try SettingsStorage<Several>(name: "s", in: MemoryStore())
        record.three = 9
        record.both = 5
        #expect(record.two == 5 && record.three == 1)
        record.mixed = 6
        #expect(record.two == 6 && record.plain == 6)
        record.one = 7
        #expect(record.one == 7 && record.observed == 7)
    }

    @Test("A property that is computed from several fields is set with all of them as they are")
    func computedFromSeveral() throws {
        let box = Box<(@Sendable () -> Void)?>(nil)
        let store = FeedStore(willWrite: { _ in box.take(replacingWith: nil)?() })
        let record = try network(store)
        record.isDetailed = true
        // Before it is written, another service changes the value that it was computed from.
        box.value = { store.changeFromOutside([("network:isDetailed", "false")]) }
        record.attemptsIfDetailed = 7
        #expect(record.attempts == 0)
        // A stored property does not depend on others.
        box.value = { store.changeFromOutside([("network:isDetailed", "true")]) }
        record.attempts = 8
        #expect(record.get() == Parameters(isDetailed: true, attempts: 8))
    }

    @Test(
        "A record has the values of the store that its scope has, and those of a store without a feed are read each time"
    )
    func stores() throws {
        let settings = SettingsService(stores: [:], diagnosticSink: .init { [problems] in problems.append($0) })
        let record = try SettingsStorage<Parameters>(name: "network", in: settings, scope: .custom(id: "vault"))
        #expect(record.get() == .empty && record.attempts == 3)
        #expect(thrownCode { try record.load() } == .noStore)
        #expect(thrownCode { try record.save(Parameters(attempts: 1)) } == .noStore)
        record.attempts = 1
        record.reset()
        #expect(problems.codes == [.noStore, .noStore, .noStore])
        settings.register(MemoryStore(["network:attempts": "8"]), for: .defaults)
        settings.register(MemoryStore(["network:attempts": "7"]), for: .custom(id: "vault"))
        #expect(record.attempts == 7)
        let silent = TwoFunctionStore()
        settings.register(silent, for: .custom(id: "vault"))
        #expect(record.attempts == 3)
        silent.poke("network:attempts", "9")
        #expect(record.attempts == 9)
    }

    @Test("A field and a nested record are set or not, and are reset by their key paths")
    func resetOfFields() throws {
        struct Log: SettingsRecord, Equatable {
            @SettingField(validation: .range(1...9)) var files = 3
            var level = "info"
            static let empty = Log()
        }
        struct Server: SettingsRecord, Equatable {
            @SettingField(help: "The port.") var port = 8080
            var token: String?
            var log = Log()
            @SettingField("inner") var other = Log()
            static let empty = Server()
        }
        let store = MemoryStore()
        let server = try SettingsStorage<Server>(in: store)
        let paths: [WritableKeyPath<Server, Int>] = [\.port, \.log.files, \.other.files]
        for (path, name) in zip(paths, ["port", "log.files", "inner.files"]) {
            #expect(!server.isSet(path))
            server.set(path, to: 5)
            #expect(try server.isSet(path) && store.text(name) == "5" && store.keys() == [name])
            server.reset(path)
            #expect(!server.isSet(path) && server.get() == .empty && store.keys().isEmpty)
        }
        server.token = "a"
        #expect(server.isSet(\.token))
        try server.remove(\.token)
        server.log = Log(files: 4, level: "error")
        server.other.level = "debug"
        #expect(server.isSet(\.log) && server.isSet(\.other))
        server.reset(\.log)
        #expect(!server.isSet(\.log) && store.keys() == ["inner.level"])
        // Bytes that are the default, or no value, are set, too.
        for (name, text) in ["port": "8080", "log.files": "0"] { try store.put(name, text) }
        #expect(server.isSet(\.port) && server.isSet(\.log.files))
        server.reset(\.port)
        server.reset(\.log.files)
        try server.remove(\.other)
        #expect(server.get() == .empty && store.keys().isEmpty)
    }

    @Test("Resetting a record removes its fields, those of newer versions too, and nothing else")
    func reset() throws {
        let store = MemoryStore(["network:attempts": "5", "network:later": #"{"a":[1]}"#, "networks": "1"])
        let record = try network(store)
        let inner = try SettingsStorage<Pair>(name: "network:inner", in: store)
        let unnamed = try SettingsStorage<Pair>(in: store)
        try store.put("network:SettingsKit:migrations", "[\"v1\"]")
        inner.left = 3
        unnamed.left = 4
        record.update { $0.attempts = 6 }
        record.set(.empty)
        #expect(try store.text("network:later") == #"{"a":[1]}"#)
        record.reset()
        #expect(record.get() == .empty && (inner.left, unnamed.left) == (3, 4))
        // Other names of the store may be settings.
        unnamed.reset()
        #expect(Set(store.keys()) == ["network:inner:left", "network:SettingsKit:migrations", "networks"])
    }

    @Test("A store that cannot list its names loses the fields that the record knows; one that fails to, nothing")
    func resetWithoutList() throws {
        struct Unlisted: SettingsStore {
            let inner = TwoFunctionStore()
            func get(_ key: SettingsService.StorageKey) throws -> Data? { try inner.get(key) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try inner.set(key, to: data) }
            func keys() throws -> [String] { throw StoreBroken() }
        }
        let store = TwoFunctionStore(["network:later": Data("1".utf8), "network:attempts": Data("2".utf8)])
        try network(store).reset()
        #expect(store.contents == ["network:later": Data("1".utf8)] && problems.count == 0)
        let record = try network(Unlisted())
        record.attempts = 5
        record.reset()
        #expect(record.attempts == 5 && problems.codes == [.readFailed])
    }

    @Test("Resetting a record leaves the values of other layers, which lock")
    func resetWithLocks() throws {
        let user = MemoryStore(["left": "2"])
        for layers in [[.writable(user)], []] as [[LayeredStore.Layer]] {
            let pair = try SettingsStorage<Pair>(in: LayeredStore([.arguments(["--right", "1"])] + layers))
            try pair.remove()
            #expect(pair.get() == Pair(right: 1) && user.keys().isEmpty)
        }
    }

    @Test("Migrations are carried out once, before the record is read, and each record has its own ledger")
    func migrations() throws {
        let store = MemoryStore(["tries": "12"])
        let (runs, attempts) = (Recorder<String>(), Setting<Int>("network:attempts", in: .defaults, default: 3))
        let version = SettingsService.Migration.version("v1") { _ in runs.append("v1") }
        let steps = [.rename("tries", to: attempts) { (old: Int) in old }, version]
        func open(_ name: String?, _ steps: [SettingsService.Migration]) throws -> SettingsStorage<Parameters> {
            try SettingsStorage(name: name, in: store, migrations: steps)
        }
        for _ in 0..<2 { #expect(try open("network", steps).get() == Parameters(attempts: 12)) }
        #expect(runs.count == 1)
        // The ledger stays when the record is reset.
        try open("network", steps).reset()
        #expect(try open("network", steps).get() == .empty && runs.count == 1)
        for name in ["other", nil] { _ = try open(name, [version]) }
        try SettingsService.over(store).migrate([version])
        #expect(runs.count == 4)
        #expect(
            thrownCode { try open("network", [.version("v2") { _ in throw StoreBroken() }]) } == .migrationFailed)
    }
}
