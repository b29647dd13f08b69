import Foundation
import Observation
import SettingsKitCore
import Testing

// @unchecked: only the thread that the scheduler lets run uses the variables, or the test's thread before and after the run.
// Notifications of trackers, which also come from tasks, change only a `Box`.
/// The engine and its model side by side: makes each operation with the engine, and compares every answer, delivery and report.
final class ModelWorld: @unchecked Sendable {
    /// A listener to one setting, with the number of events that it has received.
    final class Listener: @unchecked Sendable {
        let service: Int
        let cell: Model.Cell
        let since: Int
        var receivedCount = 0
        var isCancelled = false
        var subscription: SettingsService.Subscription?

        init(_ service: Int, _ cell: Model.Cell, since: Int) {
            (self.service, self.cell, self.since) = (service, cell, since)
        }

        var expected: ArraySlice<Model.Event> {
            cell.events[(cell.events.firstIndex { $0.moment > since } ?? cell.events.count)...]
        }

        /// Whether a step from before the listener began is delivered to it (D1).
        func mayReceiveEarlier(_ new: Int, _ isSet: Bool, _ origin: SettingsService.Origin) -> Bool {
            if receivedCount > 0 || expected.first?.new == new { return false }
            return origin == .external
                && cell.events.contains { $0.moment <= since && ($0.new, $0.isSet) == (new, isSet) }
        }
    }

    /// A tracker of the Observation framework that has read a setting.
    struct Tracker {
        let service: Int
        let setting: ModelSetting
        let value: Marked
        let calls: CallCounter
    }

    /// A value that is being set.
    private struct Pending {
        let service: Int
        let setting: Int
        let text: String
        let mark: Int
        /// Whether another operation has stored the same text meanwhile (D3).
        var isUsed = false
    }

    let model: Model
    let scheduler: Scheduler
    private(set) var services: [SettingsService] = []
    private(set) var stores: [ModelStore] = []
    /// The layers of each service's store.
    private(set) var layers: [[Int]] = []
    var listeners: [Listener] = []
    var trackers: [Tracker] = []
    private(set) var problems: [String] = []
    private(set) var trace: [String] = []
    private var pending: [Pending] = []
    private var reports: [Model.Problem: Int] = [:]
    /// The number of commits of each operation.
    private var commits: [Int: [ModelChange]] = [:]
    private var operationCount = 0
    private var operations: [Int: Int] = [:]
    /// Called before each commit, with its changes, by the operation that makes it.
    private var checksCommit: [Int: ([ModelChange]) -> Void] = [:]

    init(_ scheduler: Scheduler) {
        self.scheduler = scheduler
        let point = Point()
        model = Model(ModelSetting.all { point.world?.point($0) })
        point.world = self
    }

    /// Breaks the circle between the world and its settings.
    private final class Point: @unchecked Sendable { weak var world: ModelWorld? }

    var settings: [ModelSetting] { model.settings }

    func point(_ name: String) {
        if Scheduler.current == nil { return }
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

    func addStore(_ contents: [String: String] = [:], hasFeed: Bool = true, isWritable: Bool = true) -> ModelStore {
        let number = stores.count
        model.addStore(contents, isWritable: isWritable)
        let store = ModelStore(contents, hasFeed: hasFeed) { [weak self] in
            self?.point("store \(number) \($0)")
        } record: { [weak self] changes, origin in
            self?.record(changes, origin, of: number)
        }
        stores.append(store)
        return store
    }

    /// Adds a service over a store, or over a layered store of several stores, in which all settings are used.
    func addService(over store: any SettingsStore, _ layers: [Int]) {
        let number = services.count
        model.addService(layers)
        self.layers.append(layers)
        services.append(
            SettingsService(
                stores: [.defaults: store],
                diagnosticSink: .init { [weak self] error in self?.receive(error, from: number) }))
        for setting in settings { get(number, setting) }
    }

    // MARK: What the engine calls

    private func record(_ changes: [ModelChange], _ origin: SettingsService.Origin, of store: Int) {
        let operation = currentOperation
        note(
            "commit \(store) \(origin) "
                + changes.map { "\($0.name): \($0.old ?? "-") > \($0.new ?? "-")" }.joined(separator: ", "))
        if origin == .local, let operation {
            checksCommit[operation]?(changes)
            commits[operation, default: []] += changes
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
        note(
            "deliver \(listener.service).\(listener.cell.setting.number) \(old) > \(new)\(origin == .external ? " external" : "")"
        )
        if listener.isCancelled { return fail("a cancelled listener is called") }
        let expected = listener.expected
        if listener.mayReceiveEarlier(new.number, isSet, origin) { return }
        guard listener.receivedCount < expected.count else {
            return fail("a listener receives \(old) > \(new), which is too much")
        }
        let event = expected[expected.startIndex + listener.receivedCount]
        listener.receivedCount += 1
        let isOldRight = event.old == old.number || event.mayHaveOtherOld || listener.receivedCount == 1  // D5
        let isNewRight = event.new == new.number || event.mayHaveOtherNew
        if !isOldRight || !isNewRight || (event.isSet, event.origin) != (isSet, origin) {
            fail("a listener receives \(old) > \(new) \(isSet) \(origin) in place of \(event)")
        }
        if !event.marks.contains(new.mark) { fail("a listener receives \(new) in place of \(event)") }
    }

    // MARK: Operations

    private var currentOperation: Int? { Scheduler.current.flatMap { operations[$0.number] } ?? operations[-1] }

    /// Makes an operation, and then checks that all has been delivered, unless another thread may be delivering.
    func operate(_ name: String, _ body: (_ operation: Int) -> Void) {
        operationCount += 1
        let (thread, operation) = (Scheduler.current?.number ?? -1, operationCount)
        let outer = operations[thread]
        operations[thread] = operation
        Scheduler.current?.depth += 1
        note("begin #\(operation) \(name)")
        body(operation)
        note("end #\(operation)")
        Scheduler.current?.depth -= 1
        operations[thread] = outer
        if !isBusy(inside: 0) { checkDelivered() }
    }

    /// Whether another thread is in an operation, or this one is in more than the given number of them.
    private func isBusy(inside count: Int = 1) -> Bool {
        scheduler.fibers.contains { $0.depth > ($0 === Scheduler.current ? count : 0) }
    }

    func checkDelivered() {
        for listener in listeners where !listener.isCancelled && listener.receivedCount != listener.expected.count {
            fail(
                "listener \(listener.service).\(listener.cell.setting.number) has received \(listener.receivedCount) of \(listener.expected)"
            )
        }
    }

    func isPossible(_ value: Marked, _ service: Int, _ setting: ModelSetting, since moment: Int) -> Bool {
        let steps = model.steps(of: service, setting, since: moment, isBusy: isBusy())
        // D3
        let mayBeDecoded = value.mark == 0 && steps.count > 1
        return steps.contains { $0.number == value.number && ($0.marks.contains(value.mark) || mayBeDecoded) }
    }

    @discardableResult
    func get(_ service: Int, _ setting: ModelSetting) -> Int {
        var number = 0
        operate("get \(service).\(setting.number)") { _ in
            let start = model.moment
            let value = services[service].get(setting.setting)
            check(value, service, setting, since: start)
            number = value.number
        }
        return number
    }

    func check(_ value: Marked, _ service: Int, _ setting: ModelSetting, since start: Int) {
        note("read \(value)")
        if !isPossible(value, service, setting, since: start) {
            let steps = model.steps(of: service, setting, since: start, isBusy: isBusy())
            fail(
                "\(service).\(setting.number) reads as \(value) in place of \(steps.map { "\($0.number)\($0.marks)" })")
        }
        if start == model.moment, !isBusy() { model.recordRead(service, setting) }
    }

    /// Sets a value, and checks that it is stored or refused.
    func set(_ service: Int, _ setting: ModelSetting, to number: Int, throwing: Bool = false) {
        operate("set \(service).\(setting.number) to \(number)") { operation in
            let start = model.moment
            let refusal = setting.problem(settingTo: number)
            if refusal == nil {
                pending.append(.init(service: service, setting: setting.number, text: "\(number)", mark: operation))
            }
            defer { pending.removeAll { $0.mark == operation } }
            let value = Marked(number: number, mark: operation)
            if throwing {
                let code = thrownCode { try services[service].save(setting.setting, to: value) }
                if code != refusal { fail("save throws \(String(describing: code))") }
            } else {
                services[service].set(setting.setting, to: value)
                if let refusal { model.refuse(service, refusal, setting.name) }
            }
            checkWritten(operation, service, setting, refusal == nil ? .some("\(number)") : nil, since: start)
        }
    }

    func reset(_ service: Int, _ setting: ModelSetting) {
        operate("reset \(service).\(setting.number)") { operation in
            let start = model.moment
            services[service].reset(setting.setting)
            checkWritten(operation, service, setting, .some(nil), since: start)
        }
    }

    /// - Parameter text: The text that must be stored; nil if nothing may change.
    private func checkWritten(
        _ operation: Int, _ service: Int, _ setting: ModelSetting, _ text: String??, since start: Int
    ) {
        let changes = commits[operation] ?? []
        guard let text else {
            if !changes.isEmpty { fail("a refused write changes something") }
            return
        }
        if changes.isEmpty {
            if !model.hasHeld(text, setting.name, in: layers[service], since: start) { fail("a write is lost") }
        } else if changes.count > 1 || changes[0].new != text {
            fail("a write stores \(changes)")
        }
    }

    /// Adds a number to a value: to the one in force when it commits.
    func update(_ service: Int, _ setting: ModelSetting, adding summand: Int) {
        operate("update \(service).\(setting.number) by \(summand)") { operation in
            let start = model.moment
            checksCommit[operation] = { [self] changes in
                let steps = model.steps(of: service, setting, since: model.moment, isBusy: true)
                if !steps.contains(where: { "\($0.number + summand)" == changes.first?.new })
                    || model.isUnusable(service, setting)
                {
                    fail("an update stores \(changes) after \(steps)")
                }
            }
            let result: Int? = services[service].update(setting.setting) { value in
                point("update")
                value = Marked(number: value.number + summand, mark: operation)
                pending.append(
                    .init(service: service, setting: setting.number, text: "\(value.number)", mark: operation))
                return value.number
            }
            pending.removeAll { $0.mark == operation }
            if result == nil { recordRefusal(of: summand, service, setting, since: start) }
            if (result == nil) == (commits[operation] != nil) {
                fail("an update returns \(String(describing: result)), and stores \(commits[operation] ?? [])")
            }
        }
    }

    private func recordRefusal(of summand: Int, _ service: Int, _ setting: ModelSetting, since start: Int) {
        let steps = model.steps(of: service, setting, since: start, isBusy: true)
        var codes = Set(steps.compactMap { setting.problem(settingTo: $0.number + summand) })
        codes.formUnion(model.texts(of: setting, in: layers[service], since: start).compactMap(setting.problem))
        if codes.isEmpty { fail("an update is refused") }
        for code in codes { model.refuse(service, code, setting.name, isCertain: codes.count == 1) }
    }

    func edit(_ store: Int, _ changes: [(String, String?)]) {
        operate("edit \(store)") { _ in stores[store].edit(changes) }
    }

    func observe(_ service: Int, _ setting: ModelSetting, reaction: (@Sendable (ModelWorld) -> Void)? = nil) {
        operate("observe \(service).\(setting.number)") { _ in
            let listener = Listener(service, model.cells[service][setting.number], since: model.moment)
            listeners.append(listener)
            listener.subscription = services[service].observe(setting.setting) { [weak self, weak listener] change in
                guard let self, let listener else { return }
                deliver(change.oldValue, change.newValue, isSet: change.isSet, change.origin, to: listener)
                point("listener")
                reaction?(self)
            }
        }
    }

    /// Cancels the first listener.
    func cancel() {
        guard let listener = listeners.first(where: { !$0.isCancelled }) else { return }
        operate("cancel") { _ in
            listener.subscription?.cancel()
            listener.isCancelled = true
        }
    }

    func track(_ service: Int, _ setting: ModelSetting) {
        operate("track \(service).\(setting.number)") { _ in
            let start = model.moment
            let live = services[service].value(setting.setting)
            let calls = CallCounter()
            let value = withObservationTracking {
                live.value
            } onChange: {
                calls.add()
            }
            check(value, service, setting, since: start)
            trackers.append(Tracker(service: service, setting: setting, value: value, calls: calls))
        }
    }

    // MARK: The end

    /// Checks what must hold when all threads have ended.
    func checkEnd() async {
        checkDelivered()
        for (service, cells) in model.cells.enumerated() {
            for cell in cells {
                let number = get(service, cell.setting)
                if number != cell.steps.last?.number { fail("\(service).\(cell.setting.number) ends on \(number)") }
                if let last = cell.events.last, model.isAgreed(cell), last.new != number {
                    fail("listeners end on \(last.new)")
                }
            }
        }
        for tracker in trackers {
            let cell = model.cells[tracker.service][tracker.setting.number]
            if cell.steps.last?.number != tracker.value.number {
                for _ in 0..<2_000 where tracker.calls.count == 0 { try? await Task.sleep(for: .milliseconds(1)) }
                if tracker.calls.count == 0 { fail("a tracker ends on \(tracker.value)") }
            }
            if tracker.calls.count > 1 { fail("a tracker is notified \(tracker.calls.count) times") }
        }
        for problem in Set(reports.keys).union(model.certain.keys).union(model.refusals.keys) {
            let range = model.reportCount(of: problem)
            let count = reports[problem] ?? 0
            if !range.contains(count) { fail("\(problem) is reported \(count) times, not \(range)") }
        }
    }
}
