import Foundation
import Observation
import SettingsKitCore
import Testing

// @unchecked: only the thread that the scheduler lets run uses the variables, or the test's thread before and after the run.
// Notifications of trackers, which also come from tasks, change only a `Box`.
/// The engine and its model side by side: makes each operation with the engine, and compares every answer, delivery and report.
final class ModelWorld: @unchecked Sendable {
    /// A listener to one setting, with the numbers of events that it may have received.
    final class Listener: @unchecked Sendable {
        let service: Int
        let cell: Model.Cell
        let since: Int
        /// The moment at which the listener was there at the latest.
        var until = Int.max
        var received: Set<Int> = [0]
        /// The last number that it has received.
        var last: Int?
        var isCancelled = false
        var subscription: SettingsService.Subscription?

        init(_ service: Int, _ cell: Model.Cell, since: Int) {
            (self.service, self.cell, self.since) = (service, cell, since)
        }

        var expected: ArraySlice<Model.Event> {
            cell.events[(cell.events.firstIndex { $0.moment > since } ?? cell.events.count)...]
        }

        /// The numbers of events that it may have received or missed: it begins at a moment during the call that adds it.
        var places: Set<Int> {
            guard last == nil else { return received }
            return Set(0...expected.prefix { $0.moment <= until }.count)
        }
    }

    /// A listener to all settings of a service.
    final class Group: @unchecked Sendable {
        let service: Int
        let since: Int
        var received: Set<Int> = [0]
        /// The names that it has received.
        var names: Set<String> = []
        var subscription: SettingsService.Subscription?

        init(service: Int, since: Int) { (self.service, self.since) = (service, since) }
    }

    /// A tracker of the Observation framework that has read a setting.
    struct Tracker {
        let service: Int
        let setting: ModelSetting
        let value: Marked
        let calls: CallCounter
    }

    /// A value that is being set.
    struct Pending {
        let service: Int
        let setting: Int
        let text: String
        let mark: Int
        /// Whether another operation has stored the same text meanwhile, and so may have used the value.
        var isUsed = false
    }

    let model: Model
    let scheduler: Scheduler
    private(set) var services: [SettingsService] = []
    private(set) var stores: [ModelStore] = []
    /// The layers of each service's store.
    private(set) var layers: [[Int]] = []
    /// All stores that each service has been connected with.
    private(set) var everUsed: [Set<Int>] = []
    var listeners: [Listener] = []
    var groups: [Group] = []
    var trackers: [Tracker] = []
    /// The store that each service is being connected with, the one before, and the thread that does so.
    var switching: [Int: (thread: Int, old: Int, new: Int)] = [:]
    private(set) var switchCount: [Int] = []
    /// The moment at which each service was connected with another store.
    private(set) var lastSwitch: [Int] = []
    /// The stand-ins of stores that are not open yet.
    var lateStores: Set<Int> = []
    private(set) var late: [Int: RecoveringStore] = [:]
    let isOpen = Box(false)
    /// The operations whose writes fail.
    var failing: Set<Int> = []
    private var subscriptions: [SettingsService.Subscription] = []
    private(set) var problems: [String] = []
    private(set) var trace: [String] = []
    var pending: [Pending] = []
    private var reports: [Model.Problem: Int] = [:]
    /// The number of commits of each operation.
    private(set) var commitCounts: [Int: Int] = [:]
    private(set) var commits: [Int: [ModelChange]] = [:]
    private var operationCount = 0
    /// How often the default of a setting was computed.
    private(set) var defaultCount = 0
    private var operations: [Int: Int] = [:]
    /// Called before each commit, with its changes, by the operation that makes it.
    var checksCommit: [Int: ([ModelChange]) -> Void] = [:]

    init(_ scheduler: Scheduler, storesDefault: Bool = false) {
        self.scheduler = scheduler
        let point = Point()
        model = Model(ModelSetting.all(storesDefault: storesDefault) { point.world?.point($0) })
        point.world = self
    }

    /// Breaks the circle between the world and its settings.
    private final class Point: @unchecked Sendable { weak var world: ModelWorld? }

    var settings: [ModelSetting] { model.settings }

    func point(_ name: String) {
        if name == "default" { defaultCount += 1 }
        if Scheduler.current == nil { return }
        recordSwitch(before: name)
        note("point: \(name)")
        scheduler.point()
    }

    func note(_ line: String) {
        trace.append("\(Scheduler.current.map { "\($0.number)" } ?? "-") @\(model.moment): \(line)")
    }

    func fail(_ problem: String) {
        note("PROBLEM \(problem)")
        problems.append(problem)
    }

    // MARK: Set-up

    func addStore(_ contents: [String: String] = [:], _ kind: Model.StoreKind = .writable) -> ModelStore {
        let number = stores.count
        model.addStore(contents, kind)
        let store = ModelStore(number, contents, hasFeed: kind != .unfed) { [weak self] in
            self?.point("store \(number) \($0)")
        } isBroken: { [weak self] in
            self?.currentOperation.map { self?.failing.contains($0) ?? false } ?? false
        } record: { [weak self] changes, origin in
            self?.record(changes, origin, of: number)
        }
        stores.append(store)
        return store
    }

    /// Adds a stand-in for a store that is not open yet, and that store.
    func addLateStore(_ contents: [String: String]) -> RecoveringStore {
        let number = stores.count
        let base = ModelStore(number, contents, hasFeed: true) { [weak self] in
            self?.point("store \(number) \($0)")
        } record: { _, _ in
        }
        stores.append(base)
        model.addStore([:], .late)
        let reason = SettingsError(.storeUnavailable, store: "ModelStore")
        let store = RecoveringStore(
            reason: reason, description: "late", schedule: { _, _ in }
        ) { [isOpen, weak self] in
            self?.point("open")
            if !isOpen.value { throw reason }
            return base
        }
        let subscription = store.feed?.observe { [weak self] changes, origin in
            func text(_ data: Data?) -> String? { data.map { String(decoding: $0, as: UTF8.self) } }
            guard let self else { return }
            if origin == .external { lateStores.remove(number) }
            if !isOpen.value { for change in changes { model.recordKept(change.name, in: number) } }
            record(
                changes.map { ModelChange(name: $0.name, old: text($0.oldData), new: text($0.newData)) }, origin,
                of: number)
        }
        subscription.map { subscriptions.append($0) }
        late[number] = store
        lateStores.insert(number)
        return store
    }

    /// Adds a service over a store, or over a layered store of several stores.
    func addService(over store: any SettingsStore, _ layers: [Int]) {
        let number = services.count
        model.addService(layers)
        self.layers.append(layers)
        everUsed.append(Set(layers))
        switchCount.append(0)
        lastSwitch.append(0)
        services.append(
            SettingsService(
                stores: [.defaults: store],
                diagnosticSink: .init { [weak self] error in self?.receive(error, from: number) }))
    }

    func mergeChanges(beyond limit: Int) {
        model.isMerging = true
        for service in services { service.mergeChanges(beyond: limit) }
    }

    // MARK: What the engine calls

    /// Tells the model that a service has been connected with another store: after its last reading of the old one, and before
    /// anything else that the thread does.
    func recordSwitch(before point: String = "") {
        let thread = Scheduler.current?.number ?? -1
        for (service, change) in switching where change.thread == thread {
            if ["will read", "did read"].contains(where: { point == "store \(change.old) \($0)" }) { continue }
            switching[service] = nil
            note("switch \(service) to \(change.new)")
            layers[service] = [change.new]
            everUsed[service].insert(change.new)
            switchCount[service] += 1
            model.connect(service, to: [change.new], isDoubtful: mayBeBusy)
            lastSwitch[service] = model.moment
        }
    }

    func isLate(_ service: Int) -> Bool { layers[service].contains { lateStores.contains($0) } }

    func record(_ changes: [ModelChange], _ origin: SettingsService.Origin, of store: Int) {
        let operation = currentOperation
        note(
            "commit \(store) \(origin) "
                + changes.map { "\($0.name): \($0.old ?? "-") > \($0.new ?? "-")" }.joined(separator: ", "))
        if origin == .local, let operation {
            checksCommit[operation]?(changes)
            commits[operation, default: []] += changes
            commitCounts[operation, default: 0] += 1
        }
        model.commit(changes, of: store, origin) { service, setting, text in
            marks(of: text, service, setting, operation)
        }
    }

    /// Returns the marks that a committed text may have.
    private func marks(of text: String, _ service: Int, _ setting: Int, _ operation: Int?) -> Set<Int> {
        var marks: Set<Int> = []
        var isCertain = false
        for (index, set) in pending.enumerated()
        where set.service == service && set.setting == setting && set.text == text {
            marks.insert(set.mark)
            if set.mark == operation && !set.isUsed { isCertain = true }
            pending[index].isUsed = true
        }
        return isCertain ? marks : marks.union([0])
    }

    private func receive(_ error: SettingsError, from service: Int) {
        let problem = Model.Problem(service: service, code: error.code, name: error.key?.name ?? "")
        reports[problem, default: 0] += 1
        note("report \(service) \(error.code) \(problem.name)")
    }

    /// Compares what a listener receives with what it must receive next.
    func deliver(_ old: Marked, _ new: Marked, isSet: Bool, _ origin: SettingsService.Origin, to listener: Listener) {
        recordSwitch()
        note(
            "deliver \(listener.service).\(listener.cell.setting.number) \(old) > \(new)\(origin == .external ? " external" : "")"
        )
        if listener.isCancelled { return fail("a cancelled listener is called") }
        if let last = listener.last, last != old.number, model.isFed(listener.cell) { fail("the chain is broken") }
        let expected = listener.expected
        listener.received = model.received(
            old, new, isSet: isSet, origin, of: expected, after: listener.places, by: listener.cell)
        listener.last = new.number
        if listener.received.isEmpty {
            fail("a listener receives \(old) > \(new) \(isSet) \(origin) in place of one of \(expected)")
        }
    }

    func deliver(_ names: Set<String>, _ origin: SettingsService.Origin, to group: Group) {
        note("deliver \(group.service) \(names.sorted())\(origin == .external ? " external" : "")")
        let expected = model.events(ofGroupsIn: group.service, since: group.since)
        group.names.formUnion(names)
        group.received = model.received(names, origin, of: expected, after: group.received)
        if group.received.isEmpty { fail("a group receives \(names) \(origin) in place of one of \(expected)") }
    }

    // MARK: Operations

    var currentOperation: Int? { Scheduler.current.flatMap { operations[$0.number] } ?? operations[-1] }

    /// Makes an operation, and then checks that all has been delivered, unless another thread may be delivering.
    func operate(_ name: String, _ body: (_ operation: Int) -> Void) {
        operationCount += 1
        let (thread, operation) = (Scheduler.current?.number ?? -1, operationCount)
        let outer = operations[thread]
        operations[thread] = operation
        if let fiber = Scheduler.current {
            fiber.depth += 1
            let others = scheduler.fibers.filter { $0 !== fiber && $0.depth > 0 }
            for other in others { other.wasBusy = true }
            fiber.wasBusy = !others.isEmpty || fiber.depth > 1
            if fiber.wasBusy { model.doubtReplacements() }
        }
        note("begin #\(operation) \(name)")
        body(operation)
        note("end #\(operation)")
        Scheduler.current?.depth -= 1
        operations[thread] = outer
        if outer == nil, !isBusy(inside: 0) {
            checkDelivered()
        }
    }

    /// Whether another thread may have delivered during the present operation.
    var mayBeBusy: Bool { isBusy() || Scheduler.current?.wasBusy ?? false }

    /// Whether another thread is in an operation, or this one is in more than the given number of them.
    func isBusy(inside count: Int = 1) -> Bool {
        scheduler.fibers.contains { $0.depth > ($0 === Scheduler.current ? count : 0) }
    }

    func checkDelivered() {
        for listener in listeners where !listener.isCancelled {
            if model.hasAll(listener.expected, after: listener.places, by: listener.cell) { continue }
            let name = "\(listener.service).\(listener.cell.setting.number)"
            fail("listener \(name) has received \(listener.received) of \(listener.expected)")
        }
        for group in groups {
            let expected = model.events(ofGroupsIn: group.service, since: group.since)
            let missed = model.changedNames(in: group.service, since: group.since).subtracting(group.names)
            if !model.hasAll(expected, after: group.received) || model.isMerging && !missed.isEmpty {
                fail("a group has received \(group.received) of \(expected)")
            }
        }
    }

    // MARK: The end

    /// Checks what must hold when all threads have ended.
    func checkEnd() async {
        checkDelivered()
        for (number, store) in late where store.unavailability == nil {
            model.recordRecovery(of: number)
            for setting in settings
            where stores[number].stored[setting.name] != model.history[number]?[setting.name]?.last?.text {
                fail("the store ends on \(stores[number].stored)")
            }
        }
        for (service, cells) in model.cells.enumerated() {
            for cell in cells {
                let number = get(service, cell.setting)
                if cell.steps.last?.numbers.contains(number) != true {
                    fail("\(service).\(cell.setting.number) ends on \(number)")
                }
                for listener in listeners where listener.cell === cell && !listener.isCancelled {
                    let begin = model.steps(of: service, cell.setting, since: listener.since)
                    let isKnown = listener.last.map { $0 == number } ?? begin.contains { $0.numbers.contains(number) }
                    if model.isAgreed(cell), model.isFed(cell), !isKnown {
                        fail("a listener ends on \(String(describing: listener.last)) in place of \(number)")
                    }
                }
            }
        }
        for tracker in trackers {
            let cell = model.cells[tracker.service][tracker.setting.number]
            if model.isFed(cell), cell.steps.last?.numbers.contains(tracker.value.number) != true {
                for _ in 0..<60_000 where tracker.calls.count == 0 { try? await Task.sleep(for: .milliseconds(1)) }
                if tracker.calls.count == 0 { fail("a tracker ends on \(tracker.value)") }
            }
        }
        for problem in Set(reports.keys).union(model.certain.keys).union(model.refusals.keys) {
            let range = model.reportCount(of: problem)
            let count = reports[problem] ?? 0
            // D8
            let isTooMuch = count > range.upperBound && switchCount[problem.service] == 0
            if count < range.lowerBound || isTooMuch { fail("\(problem) is reported \(count) times, not \(range)") }
        }
    }
}
