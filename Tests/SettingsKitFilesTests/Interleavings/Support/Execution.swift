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
        let store = try scenario.subject.open(process)
        for name in ["x", "y"] { try store.perform(.set(name, "0")) }
        try store.perform(.bringUpToDate)
        try store.perform(.set("z", "0"))
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
        let stores = Box<[(any InterleavedStore)?]>([nil, nil])
        // A released store folds.
        defer { for process in processes { process.kill() } }
        let scheduler = Scheduler(
            disk, processes, scenario, bound: bound, observedFrom: observedFrom, choose: choose)
        for number in processes.indices where scenario.programs[number].first != .open {
            let store = try scenario.subject.open(processes[number], isTrusting: scenario.isTrusting)
            stores.value[number] = store
            for operation in number == 0 ? scenario.beginning : [] {
                scheduler.record(operation, of: number) { try store.perform(operation) }
            }
        }
        scheduler.run { number in
            for operation in scenario.programs[number] {
                scheduler.record(operation, of: number) {
                    if operation == .open {
                        let store = try scenario.subject.open(processes[number], isTrusting: scenario.isTrusting)
                        stores.value[number] = store
                    } else if let store = stores.value[number] {
                        try store.perform(operation)
                    } else {
                        throw SettingsError(.storeUnavailable, store: Start.path)
                    }
                }
            }
        }
        (points, snapshots, history) = (scheduler.points, scheduler.snapshots, scheduler.history)
    }
}
