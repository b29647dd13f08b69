import SettingsKitCore

/// The reference: what the engine must answer, deliver and report, given the order in which stores commit.
///
/// The order of commits is all that chance decides. Everything else follows from it by these rules:
///
/// - Each commit gets one verdict from each setting of each service: the value of the highest layer that is accepted. If a rejected
///   value was put into its layer from outside while the service used it, and what was in force came from that layer, that stays.
///   Otherwise the next layer counts, and the default in the end.
/// - What a service finds when it begins, or is connected with another store, was not put there from outside.
/// - A read returns what is in force at a moment between its beginning and its end.
/// - A listener receives each step of what is in force since it began, in order, and nothing twice.
/// - Each problem of stored bytes is reported once for each cause, and each refused write once.
///
/// ## Differs today
/// The model accepts the following of the engine. Each place in the code names its number. Remove the number with the fault.
///
/// - D8: Connections with other stores that were not delivered yet are one step. A read that began before may report bytes of the
///   replaced store.
/// - D11: A reader that stores a default may return another thread's set value decoded.
/// - D10: Rejected bytes lock a setting for a write during which the locking layer changes.
final class Model {
    /// What is in force from a moment on.
    struct Step {
        let moment: Int
        /// The number; several if changes that wait are merged, because a last good value may then be forgotten.
        let numbers: Set<Int>
        /// The marks that the value may have.
        let marks: Set<Int>
        /// Whether a layer above the writable one is in force, and whether it may be.
        let isLocked: Bool
        let mayBeLocked: Bool

        var number: Int { numbers.min() ?? 0 }
    }

    /// Whether a service uses a setting, so that a last good value stays.
    enum Use { case none, beginning, used }

    /// What is in force, and the stores whose text was put there from outside.
    struct State: Hashable {
        var inForce = InForce()
        var outside: Set<Int> = []
    }

    /// What is in force: a text, and the store that holds it or held it last.
    struct InForce: Hashable {
        var text: String?
        var store: Int?
    }

    /// A step as listeners receive it.
    struct Event: Equatable {
        let moment: Int
        let old: Int
        let new: Int
        let isSet: Bool
        let origin: SettingsService.Origin
        let marks: Set<Int>
    }

    /// One setting in one service.
    final class Cell {
        let setting: ModelSetting
        /// The numbers of the stores, the highest layer first.
        fileprivate(set) var layers: [Int] = []
        fileprivate(set) var steps: [Step] = []
        fileprivate(set) var events: [Event] = []
        /// What is in force, if the engine forgets nothing.
        fileprivate var state = State()
        var inForce: InForce { state.inForce }
        /// What may have been in force before the next commit: more than one if the service begins to use the setting while it
        /// changes, or if changes that wait are merged.
        fileprivate var lasts: Set<State> = []
        /// What may be in force.
        fileprivate var possible: Set<State> = []
        fileprivate(set) var use = Use.none
        /// Whether more than one value may have been in force since the service began to use the setting.
        fileprivate(set) var isVague = false
        /// The text that listeners know.
        fileprivate(set) var known: String?
        fileprivate var marks: Set<Int> = [0]
        /// The marks that each text had: the same bytes may have the same value.
        fileprivate var earlierMarks: [String: Set<Int>] = [:]

        init(_ setting: ModelSetting) { self.setting = setting }
    }

    enum StoreKind {
        case writable, locking, fallback
        /// Without a feed: each read asks the store, and changes of others are not known.
        case unfed
        /// A stand-in for a store that is not open yet: a set value is decoded until the store is open.
        case late
    }

    struct GroupEvent: Equatable {
        let moment: Int
        var names: Set<String>
        let origin: SettingsService.Origin
        /// Whether it is of a replacement of the store.
        var isReplacement = false
        /// Whether fewer names may be notified, or none.
        var isDoubtful = false
    }

    struct Problem: Hashable {
        let service: Int
        let code: SettingsError.Code
        let name: String
    }

    let settings: [ModelSetting]
    /// Whether changes that wait may be merged.
    var isMerging = false
    private(set) var moment = 0
    private(set) var cells: [[Cell]] = []
    /// By store and setting.
    private(set) var held: [[String?]] = []
    private(set) var kinds: [StoreKind] = []
    /// What listeners to all settings of a service receive.
    private(set) var groupEvents: [[GroupEvent]] = []
    /// Each text that a store has held under a name, by store and name.
    private(set) var history: [Int: [String: [(moment: Int, text: String?)]]] = [:]
    /// The rejected texts that must be reported, and those that may be.
    private(set) var certain: [Problem: Set<String>] = [:]
    private(set) var possible: [Problem: Set<String>] = [:]
    /// The number of refused writes, at least and at most.
    private(set) var refusals: [Problem: (least: Int, most: Int)] = [:]

    init(_ settings: [ModelSetting]) { self.settings = settings }

    func isRejected(_ text: String?, by setting: ModelSetting) -> Bool {
        text.map { setting.problem(with: $0) != nil } ?? false
    }

    func addStore(_ contents: [String: String], _ kind: StoreKind) {
        history[held.count] = contents.mapValues { [(moment, $0)] }
        kinds.append(kind)
        held.append(settings.map { contents[$0.name] })
    }

    func isWritable(_ store: Int) -> Bool { kinds[store] != .locking && kinds[store] != .fallback }

    private func accepted(_ text: String?, by setting: ModelSetting) -> String? {
        text.flatMap { setting.problem(with: $0) == nil ? $0 : nil }
    }

    /// Adds a service over the layers of a store.
    func addService(_ layers: [Int]) {
        cells.append(settings.map(Cell.init))
        groupEvents.append([])
        connect(cells.count - 1, to: layers)
        guard kinds[layers[0]] == .late else { return }
        for setting in settings {
            possible[.init(service: cells.count - 1, code: .storeUnavailable, name: setting.name)] = ["once"]
        }
    }

    // MARK: Changing

    /// Records that other operations may change the stores that are compared for listeners to groups.
    func doubtReplacements() {
        for service in groupEvents.indices {
            for index in groupEvents[service].indices where groupEvents[service][index].isReplacement {
                groupEvents[service][index].isDoubtful = true
                groupEvents[service][index].names = Set(settings.map(\.name))
            }
        }
    }

    /// Connects a service with another store.
    ///
    /// - Parameter isDoubtful: Whether other operations may change the stores while they are compared.
    func connect(_ service: Int, to layers: [Int], isDoubtful: Bool = false) {
        moment += 1
        if let old = cells[service][0].layers.first {
            let differing = settings.filter { held[old][$0.number] != held[layers[0]][$0.number] }
            groupEvents[service].append(
                GroupEvent(moment: moment, names: Set(differing.map(\.name)), origin: .external, isReplacement: true))
            if isDoubtful { doubtReplacements() }
        }
        for cell in cells[service] {
            let isFirst = cell.layers.isEmpty
            cell.layers = layers
            cell.state = State(inForce: judge(cell, after: InForce(), outside: []))
            (cell.lasts, cell.possible, cell.isVague) = ([cell.state], [cell.state], false)
            let text = cell.inForce.text
            let marks = text.flatMap { cell.earlierMarks[$0] }?.union([0]) ?? [0]
            cell.marks = marks
            if !isFirst { tell(cell, text, .external) }
            cell.known = text
            addStep(to: cell, marks: marks)
            recordPossible(of: cell, service)
        }
    }

    /// Records a commit.
    ///
    /// - Parameter marks: Returns the marks of a text that the commit sets, for a service and a setting.
    func commit(
        _ changes: [ModelChange], of store: Int, _ origin: SettingsService.Origin,
        marks: (_ service: Int, _ setting: Int, _ text: String) -> Set<Int>
    ) {
        moment += 1
        var names = cells.map { _ in Set<String>() }
        for change in changes {
            history[store]?[change.name, default: [(0, nil)]].append((moment, change.new))
            for setting in settings where setting.name == change.name {
                held[store][setting.number] = change.new
                for (service, cells) in cells.enumerated()
                where cells[setting.number].layers.contains(store) {
                    let cell = cells[setting.number]
                    let isMarked = origin == .local && change.new != nil
                    var marks = isMarked ? marks(service, setting.number, change.new ?? "") : [0]
                    // Where layers are judged, a set value may be decoded.
                    if cell.layers.count > 1 { marks.insert(0) }
                    commit(to: cell, store, origin)
                    let isTold = step(cell, service, of: store, change, origin, marks)
                    if isTold { names[service].insert(change.name) }
                }
            }
        }
        for (service, names) in names.enumerated()
        where !names.isEmpty || cells[service].contains(where: \.isVague) {
            var event = GroupEvent(moment: moment, names: names, origin: origin)
            if cells[service].contains(where: \.isVague) {
                (event.isDoubtful, event.names) = (true, Set(settings.map(\.name)))
            }
            groupEvents[service].append(event)
        }
    }

    /// Judges what the layers of a cell hold.
    private func judge(_ cell: Cell, after last: InForce, outside: Set<Int>) -> InForce {
        for layer in cell.layers {
            guard let text = held[layer][cell.setting.number] else { continue }
            if accepted(text, by: cell.setting) != nil { return InForce(text: text, store: layer) }
            if outside.contains(layer), last.store == layer { return last }
        }
        return InForce()
    }

    /// Records a commit for a cell.
    private func commit(to cell: Cell, _ store: Int, _ origin: SettingsService.Origin) {
        let found = State(inForce: judge(cell, after: InForce(), outside: []))
        func next(_ state: State) -> State {
            var state = state
            if origin == .external, kinds[store] != .unfed {
                state.outside.insert(store)
            } else {
                state.outside.remove(store)
            }
            state.inForce = judge(cell, after: state.inForce, outside: state.outside)
            return state
        }
        if cell.use == .none {
            (cell.state, cell.lasts, cell.possible) = (found, [found], [found])
            return
        }
        cell.state = next(cell.state)
        var judged = Set(cell.lasts.map(next))
        if cell.use == .beginning { judged.insert(found) }
        // A row that is merged with the next is not judged.
        let isSkippable = isMerging && (origin == .external || cell.layers.count > 1)
        cell.lasts = isSkippable ? judged.union(cell.lasts) : judged
        cell.possible = judged
        if judged.count > 1 { cell.isVague = true }
    }

    /// Records that a service begins to use a setting, and then that it uses it.
    func use(_ service: Int, _ setting: ModelSetting, _ use: Use) {
        let cell = cells[service][setting.number]
        if cell.use != .used { cell.use = use }
    }

    /// Records what a commit has changed for a setting in a service.
    ///
    /// - Returns: Whether listeners to the scope are notified.
    private func step(
        _ cell: Cell, _ service: Int, of store: Int, _ change: ModelChange, _ origin: SettingsService.Origin,
        _ marks: Set<Int>
    ) -> Bool {
        let text = cell.inForce.text
        if isWritable(store) { cell.marks = marks }
        if let text {
            cell.earlierMarks[text, default: []].formUnion(cell.marks)
            if kinds[store] != .unfed { cell.marks.formUnion(cell.earlierMarks[text] ?? []) }
        }
        let isMarked = cell.inForce.store.map(isWritable) ?? false
        let inForceMarks = isMarked ? cell.marks : [0]
        recordPossible(of: cell, service)
        addStep(to: cell, marks: inForceMarks)
        if cell.layers.count > 1 { return tell(cell, text, origin, inForceMarks) }
        if kinds[store] == .unfed {
            // Changes of others are not known, so that the step begins with the bytes that were replaced.
            if origin == .external { return false }
            cell.known = accepted(change.old, by: cell.setting)
        }
        if let new = change.new, let code = cell.setting.problem(with: new), origin == .external, !isMerging,
            cell.use == .used
        {
            certain[.init(service: service, code: code, name: change.name), default: []].insert("\(store) \(new)")
        }
        return tell(cell, text, origin, inForceMarks)
    }

    private func addStep(to cell: Cell, marks: Set<Int>) {
        var marks = marks
        let possible = Set(cell.possible.map(\.inForce))
        let stores = possible.compactMap(\.store)
        if stores.contains(where: { kinds[$0] == .unfed }) { marks = [0] }
        if stores.contains(where: { kinds[$0] == .late }) || possible.count > 1 { marks.insert(0) }
        // Of changes that wait and are merged, an earlier value may stay, which this program may have set.
        if isMerging { for text in possible.compactMap(\.text) { marks.formUnion(cell.earlierMarks[text] ?? []) } }
        let locked = possible.filter { $0.store.map { kinds[$0] == .locking } ?? false }
        cell.steps.append(
            Step(
                moment: moment, numbers: Set(possible.map { cell.setting.number(of: $0.text) }), marks: marks,
                isLocked: locked.count == possible.count, mayBeLocked: !locked.isEmpty))
    }

    @discardableResult
    private func tell(
        _ cell: Cell, _ text: String?, _ origin: SettingsService.Origin, _ marks: Set<Int> = [0]
    ) -> Bool {
        if text == cell.known { return false }
        let (old, new) = (cell.setting.number(of: cell.known), cell.setting.number(of: text))
        cell.events.append(
            Event(
                moment: moment, old: old, new: new, isSet: text != nil, origin: origin, marks: marks))
        cell.known = text
        return true
    }

    private func recordPossible(of cell: Cell, _ service: Int) {
        for layer in cell.layers {
            guard let text = held[layer][cell.setting.number], let code = cell.setting.problem(with: text)
            else { continue }
            // Bytes of a replaced store may be reported as another one's.
            for store in ["late"] + held.indices.map(String.init) {
                possible[.init(service: service, code: code, name: cell.setting.name), default: []].insert(
                    "\(store) \(text)")
            }
        }
    }

    /// Records that a service refuses a write.
    func refuse(_ service: Int, _ code: SettingsError.Code, _ name: String, isCertain: Bool = true) {
        let problem = Problem(service: service, code: code, name: name)
        refusals[problem, default: (0, 0)].most += 1
        if isCertain { refusals[problem, default: (0, 0)].least += 1 }
    }

    /// Records that a service reports a lock, once for each cause.
    func refuseLocked(_ service: Int, _ name: String, isCertain: Bool) {
        let problem = Problem(service: service, code: .locked, name: name)
        possible[problem, default: []].formUnion(["a value", "a candidate"])
        if isCertain, (certain[problem] ?? []).isEmpty { certain[problem, default: []].insert("a value") }
    }

    /// Records that a store that is not open yet keeps a change: each service reports it once.
    func recordKept(_ name: String, in store: Int) {
        for service in cells.indices where cells[service][0].layers.contains(store) {
            certain[.init(service: service, code: .storeUnavailable, name: name), default: []].insert("once")
        }
    }

    /// Records that a store has been opened.
    func recordRecovery(of store: Int) {
        for service in cells.indices where cells[service][0].layers.contains(store) {
            certain[.init(service: service, code: .recovered, name: ""), default: []].insert("once")
        }
    }

    /// Returns how often a problem must be reported.
    func reportCount(of problem: Problem) -> ClosedRange<Int> {
        let certain = certain[problem] ?? []
        let refused = refusals[problem] ?? (0, 0)
        // Bytes of two stores may be reported as one store's.
        let texts = Set(certain.map { $0.split(separator: " ").last })
        return texts.count + refused.least...certain.union(possible[problem] ?? []).count + refused.most
    }

    /// Records that a read without a concurrent change has met rejected bytes.
    func recordRead(_ service: Int, _ setting: ModelSetting) {
        let cell = cells[service][setting.number]
        for layer in cell.layers {
            if let text = held[layer][setting.number], let code = setting.problem(with: text) {
                certain[.init(service: service, code: code, name: setting.name), default: []].insert("\(layer) \(text)")
            }
            if layer == cell.inForce.store { break }
        }
    }
}
