import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

typealias Values = [String: Data]

/// Something that a program does with a store.
enum Step: Sendable {
    case set(String, String?)
    case batch([String: String?])
    case removeAll
    case synchronize, bringUpToDate

    /// What it makes of the values.
    func applied(to values: Values) -> Values {
        var values = values
        switch self {
        case .set(let name, let text): values[name] = text.map { Data($0.utf8) }
        case .batch(let changes): for (name, text) in changes { values[name] = text.map { Data($0.utf8) } }
        case .removeAll: values = [:]
        case .synchronize, .bringUpToDate: break
        }
        return values
    }

    func perform(on store: PropertyListStore) throws {
        switch self {
        case .set(let name, let text):
            try store.set(key(name), to: text.map { Data($0.utf8) })
        case .batch(let changes):
            let writes = changes.map {
                SettingsStoreBatch.Entry(key: key($0.key), data: $0.value.map { Data($0.utf8) })
            }
            try #require(try store.apply(SettingsStoreBatch(writes: writes)))
        case .removeAll: try store.removeAll()
        case .synchronize: try store.synchronize()
        case .bringUpToDate: try store.bringUpToDate()
        }
    }

    /// Changes and batches. Among them, the log is flushed and the property list is printed.
    static let usual: [Step] = [
        .set("a", "1"), .batch(["b": "2", "c": "\"three\""]), .synchronize,
        .set("a", "[1,2]"), .set("b", nil), .batch(["c": nil, "d": "true", "e": "1.5"]), .synchronize,
        .set("ü", "null"), .bringUpToDate, .removeAll, .set("a", "9"), .synchronize, .batch(["x": "1", "y": "1"]),
        .bringUpToDate, .set("z", "1"), .synchronize, .set("z", "2"),
    ]
}

/// What is on the disk before a program begins.
enum Start: CaseIterable, Sendable {
    case nothing, othersFile, link, damagedFile, unprintedLog, announcedList

    static let path = "/home/app/Settings.plist"
    static let directory = "/home/app"

    /// Makes a disk with it, safe from power failures.
    ///
    /// - Returns: the disk, and the values that a program must find.
    func prepare() throws -> (disk: SimulatedDisk, values: Values) {
        let (disk, values) = try #require(Self.originals[self]).get()
        return (SimulatedDisk(copyOf: disk), values)
    }

    /// One disk of each kind, for copies.
    private static let originals = Dictionary(
        uniqueKeysWithValues: allCases.map { start in (start, Result { try start.makeOriginal() }) })

    private func makeOriginal() throws -> (disk: SimulatedDisk, values: Values) {
        var disk = SimulatedDisk()
        let file = Data(xml("<key>old</key><string>x</string>").utf8)
        if self != .nothing { for path in ["/home", Self.directory] { try disk.makeDirectory(path) } }
        var values = ["old": Data("\"x\"".utf8)]
        switch self {
        case .nothing: values = [:]
        case .othersFile: try disk.write(file, to: Self.path)
        case .link:
            try disk.write(file, to: Self.directory + "/Target.plist")
            try disk.makeLink(Self.path, to: "Target.plist")
        case .damagedFile:
            try disk.write(Data(xml("<key>old</key><string>x</string><oops>").utf8), to: Self.path)
            values = [:]
        case .unprintedLog:
            try disk.write(file, to: Self.path)
            let process = disk.process()
            let store = try quietStore(process)
            try store.set(key("kept"), to: Data("1".utf8))
            process.kill()
            values["kept"] = Data("1".utf8)
        case .announcedList:
            disk = try makeAnnounced(file)
            values["kept"] = Data("1".utf8)
        }
        disk.synchronizeAll()
        return (disk, values)
    }

    /// Makes a disk on which the process has died when the property list was in its place, and not recorded yet. How many calls
    /// precede that depends on the time, too.
    private func makeAnnounced(_ file: Data) throws -> SimulatedDisk {
        for number in 0... {
            let disk = SimulatedDisk()
            for path in ["/home", Self.directory] { try disk.makeDirectory(path) }
            try disk.write(file, to: Self.path)
            let process = disk.process()
            let store = try quietStore(process)
            try store.set(key("kept"), to: Data("1".utf8))
            process.set(.deathAfter(number))
            _ = try? store.bringUpToDate()
            let members = try disk.contents(of: Self.path).map(PropertyListReader.readDictionary)
            if members?.count == 2 { return disk }
        }
        fatalError("The loop ends by returning or throwing.")
    }
}

/// A disk with an empty directory for the property list.
func emptyDisk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    for path in ["/home", Start.directory] { try disk.makeDirectory(path) }
    disk.synchronizeAll()
    return disk
}

/// A store that prints only when the test asks for it, so that the order of its calls is known.
func quietStore(_ process: SimulatedProcess, patience: Duration = .milliseconds(50)) throws -> PropertyListStore {
    try PropertyListStore(
        path: Start.path, fileSystem: process, writingDelay: .seconds(86_400), patience: patience, trust: .zero,
        editingTime: .zero)
}

/// How far a program has come.
struct Course {
    /// What is stored if everything acknowledged is there, and nothing else.
    var values: Values
    /// What is stored if also the step is done that was under way.
    var maybe: Values
    /// What was stored when everything was last synchronized.
    var synchronized: Values
    /// The steps since, with the one that was under way.
    var since: [Step] = []

    init(_ values: Values) { (self.values, maybe, synchronized) = (values, values, values) }

    /// Does the steps until one fails.
    ///
    /// - Returns: what the failing step has thrown.
    mutating func run(_ steps: [Step], on store: PropertyListStore) -> (any Error)? {
        for step in steps {
            maybe = step.applied(to: values)
            since.append(step)
            do {
                try step.perform(on: store)
            } catch {
                return error
            }
            values = maybe
            switch step {
            case .synchronize, .bringUpToDate: (synchronized, since) = (values, [])
            case .set, .batch, .removeAll: break
            }
        }
        return nil
    }

    /// Whether the values are those of the last synchronizing and of some of the steps since, each done wholly or not at
    /// all.
    func isPossibleAfterPowerFailure(_ found: Values) -> Bool {
        (0..<(1 << since.count)).contains { chosen in
            var values = synchronized
            for (index, step) in since.enumerated() where chosen & 1 << index != 0 { values = step.applied(to: values) }
            return values == found
        }
    }
}

extension PropertyListStore {
    /// Everything that is stored.
    var values: Values {
        Dictionary(uniqueKeysWithValues: keys().compactMap { name in get(key(name)).map { (name, $0) } })
    }
}

extension SimulatedDisk {
    /// What stands in the property list; nil where there is none.
    func storedValues(at path: String = Start.path) throws -> Values? {
        guard let file = contents(of: path) else { return nil }
        let members = try PropertyListReader.readDictionary(file)
        return Dictionary(members.map { ($0.key, NativeValue.bytes(of: $0.value)) }, uniquingKeysWith: { $1 })
    }

    /// Opens the store in a new process, sets one more value, brings the file up to date, and looks
    /// whether it has everything.
    ///
    /// - Returns: the values that were found.
    func findValues(_ comment: Comment) throws -> Values {
        let store = try quietStore(process())
        let found = store.values
        try store.set(key("afterwards"), to: Data("1".utf8))
        try store.bringUpToDate()
        #expect(try storedValues() == found.merging(["afterwards": Data("1".utf8)]) { $1 }, comment)
        return found
    }
}
