import Foundation
import SettingsKitCore
import SettingsKitPlatform

@testable import SettingsKitFiles

/// One schedule of a scenario's programs, and the disks that it went through.
struct Execution {
    let points: [Scheduler.Point]
    let snapshots: [Scheduler.Snapshot]
    let history: History

    /// The values on the disk before the processes start.
    static func values(before scenario: Scenario) -> Values {
        scenario.isFirst ? [:] : ["x": "0", "y": "0", "z": "0"].mapValues { Data($0.utf8) }
    }

    /// The disk before the processes start.
    static func makeDisk(_ scenario: Scenario) throws -> SimulatedDisk {
        let disk = try emptyDisk()
        if scenario.isFirst { return disk }
        let process = disk.process()
        let store = try open(process, isTrusting: false)
        for name in ["x", "y"] { try perform(.set(name, "0"), on: store) }
        try perform(.bringUpToDate, on: store)
        try perform(.set("z", "0"), on: store)
        process.kill()
        disk.synchronizeAll()
        return disk
    }

    /// Runs a schedule.
    ///
    /// - Parameters:
    ///   - disk: The disk of ``makeDisk(_:)``.
    ///   - bound, observedFrom, choose: As those of the ``Scheduler``.
    init(
        _ scenario: Scenario, on disk: SimulatedDisk, bound: Int, observedFrom: Int,
        choose: @escaping @Sendable (Int, [Scheduler.Choice]) -> Int
    ) throws {
        let disk = SimulatedDisk(copyOf: disk)
        let processes = scenario.programs.map { _ in disk.process() }
        let stores = Box<[PropertyListStore?]>([nil, nil])
        // A released store folds.
        defer { for process in processes { process.kill() } }
        let scheduler = Scheduler(
            disk, processes, incident: scenario.incident, bound: bound, observedFrom: observedFrom, choose: choose)
        for number in processes.indices where scenario.programs[number].first != .open {
            let store = try Self.open(processes[number], isTrusting: scenario.isTrusting)
            stores.value[number] = store
            for operation in number == 0 ? scenario.beginning : [] {
                scheduler.record(operation, of: number) { try Self.perform(operation, on: store) }
            }
        }
        scheduler.run { number in
            for operation in scenario.programs[number] {
                scheduler.record(operation, of: number) {
                    if operation == .open {
                        let store = try Self.open(processes[number], isTrusting: scenario.isTrusting)
                        stores.value[number] = store
                    } else if let store = stores.value[number] {
                        try Self.perform(operation, on: store)
                    } else {
                        throw SettingsError(.storeUnavailable, store: Start.path)
                    }
                }
            }
        }
        (points, snapshots, history) = (scheduler.points, scheduler.snapshots, scheduler.history)
    }

    /// Opens a store that does nothing in the background, and waits for the lock for as long as necessary: what it does then does not
    /// depend on the time.
    private static func open(_ process: SimulatedProcess, isTrusting: Bool) throws -> PropertyListStore {
        try PropertyListStore(
            path: Start.path, fileSystem: process, writingDelay: .seconds(86_400), patience: .seconds(86_400),
            trust: isTrusting ? .seconds(86_400) : .zero)
    }

    private static func perform(_ operation: Operation, on store: PropertyListStore) throws {
        switch operation {
        case .open: break
        case .set(let name, let value):
            // Not through `PropertyListStore.set`, which gives up waiting for the lock after half a second.
            try store.list.change(named: name, waiting: .seconds(86_400)) { _ in .store(Data(value.utf8)) }
        case .synchronize: try store.synchronize()
        case .bringUpToDate: try store.bringUpToDate()
        }
    }
}
