import Foundation
import SettingsKitCore
import SettingsKitPlatform

@testable import SettingsKitFiles

/// What the programs of a scenario use.
enum Subject: Sendable {
    case propertyList, log
    /// A property list that is printed from a log.
    case printed

    /// The names of the files that are read at opening.
    var names: [String] {
        let name = WholeFile.split(Start.path).name
        return switch self {
        case .propertyList: ["", "-journal", "-previous"].map { name + $0 }
        case .log: [name + "-log"]
        case .printed: ["", "-log"].map { name + $0 }
        }
    }

    /// The path of the file that a synchronizing process flushes.
    var flushedPath: String { Start.path + (self == .propertyList ? "-journal" : "-log") }

    /// Opens the files, with nothing in the background, and waits for the lock for as long as necessary: what is done then does not
    /// depend on the time.
    func open(_ process: SimulatedProcess, isTrusting: Bool = false) throws -> any InterleavedStore {
        switch self {
        case .propertyList:
            try PropertyListStore(
                path: Start.path, fileSystem: process, writingDelay: .seconds(86_400), patience: .seconds(86_400),
                trust: isTrusting ? .seconds(86_400) : .zero)
        case .printed:
            try PrintedPropertyList(setup(process, isTrusting: isTrusting))
        case .log:
            try SettingsLog(
                .init(
                    base: Start.path, fileSystem: process, description: "log", patience: .seconds(86_400),
                    trust: isTrusting ? .seconds(86_400) : .zero))
        }
    }

    private func setup(_ process: SimulatedProcess, isTrusting: Bool) -> PropertyListSetup {
        var setup = PropertyListSetup(path: Start.path, fileSystem: process)
        (setup.isWatching, setup.writingDelay, setup.patience) = (false, .seconds(86_400), .seconds(86_400))
        (setup.trust, setup.editingTime) = (isTrusting ? .seconds(86_400) : .zero, .zero)
        return setup
    }
}

protocol InterleavedStore: AnyObject, Sendable {
    func perform(_ operation: Operation) throws
    var storedValues: Values { get }
}

extension PropertyListStore: InterleavedStore {
    func perform(_ operation: Operation) throws {
        switch operation {
        case .open: break
        case .set(let name, let value):
            // Not through `PropertyListStore.set`, which gives up waiting for the lock after half a second.
            try list.change(named: name, waiting: .seconds(86_400)) { _ in .store(Data(value.utf8)) }
        case .synchronize: try synchronize()
        case .bringUpToDate: try bringUpToDate()
        }
    }

    var storedValues: Values { values }
}

extension SettingsLog: InterleavedStore {
    func perform(_ operation: Operation) throws {
        switch operation {
        case .open: break
        case .set(let name, let value):
            try write { _ in [.changes(LogChanges(changes: [LogChange(name: name, data: Data(value.utf8))]))] }
        case .synchronize: try flush()
        case .bringUpToDate: try compact(waiting: .seconds(86_400))
        }
    }

    var storedValues: Values {
        withContents { contents in
            Values(uniqueKeysWithValues: contents.names.map { ($0, contents.data(named: $0) ?? Data()) })
        }
    }
}

extension PrintedPropertyList: InterleavedStore {
    func perform(_ operation: Operation) throws {
        switch operation {
        case .open: break
        case .set(let name, let value):
            try change { _ in [LogChange(name: name, data: Data(value.utf8))] }
        case .synchronize: try synchronize(isReadOnly: false)
        case .bringUpToDate: try synchronize(isReadOnly: false, forOthers: true)
        }
    }

    var storedValues: Values { log.storedValues }
}
