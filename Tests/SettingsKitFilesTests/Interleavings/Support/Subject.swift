import Foundation
import SettingsKitCore
import SettingsKitPlatform

@testable import SettingsKitFiles

/// What the programs of a scenario use.
enum Subject: Sendable {
    case propertyList, log

    /// The names of the files that are read at opening.
    var names: [String] {
        let name = WholeFile.split(Start.path).name
        return switch self {
        case .propertyList: ["", "-log"].map { name + $0 }
        case .log: [name + "-log"]
        }
    }

    /// The path of the file that a synchronizing process flushes.
    var flushedPath: String { Start.path + "-log" }

    /// Opens the files, with nothing in the background, and waits for the lock for as long as necessary: what is done then does not
    /// depend on the time.
    func open(_ process: SimulatedProcess, isTrusting: Bool = false) throws -> any InterleavedStore {
        switch self {
        case .propertyList:
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
