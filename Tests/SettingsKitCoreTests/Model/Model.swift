import SettingsKitCore

/// The reference: what the engine must answer, deliver and report, given the order in which stores commit.
///
/// The order of commits is all that chance decides. Everything else follows from it by these rules:
///
/// - Each commit gets one verdict from each setting: accepted, it is in force; rejected, but made by another process, what is in
///   force stays; rejected, and made in this process or found in a newly connected store, the default is in force.
/// - A layered store judges the layers one by one. The highest layer that has a value in force decides.
/// - A read returns what is in force at a moment between its beginning and its end.
/// - A listener receives each step of what is in force since it began, in order, and nothing twice.
/// - Each problem of stored bytes is reported once for each cause, and each refused write once.
///
/// ## Differs today
/// | | the rule | today |
/// |---|---|---|
/// | D1 | a read returns the newest accepted value | while rejected bytes are stored and earlier external changes are not delivered, a read may return an older accepted value since the last change of this process; a listener that begins then receives the step to the newest |
/// | D2 | a step from the default to the default is not delivered | it is, if the bytes differ |
/// | D3 | a set value reads with what its stored form loses | a read that began before the commit may return the decoded value; so may each, if another thread has stored the same bytes before |
/// | D4 | a listener gets the default for rejected bytes | it may get an accepted value that was stored since |
/// | D5 | a listener's first change begins with the value in force when it began | it may begin with an older one, if rejected bytes were being judged when it began |
final class Model {
    /// What is in force from a moment on.
    struct Step {
        let moment: Int
        let number: Int
        /// The marks that the value may have.
        let marks: Set<Int>
    }

    /// A step as listeners receive it.
    struct Event: Equatable {
        let moment: Int
        let old: Int
        let new: Int
        let isSet: Bool
        let origin: SettingsService.Origin
        let marks: Set<Int>
        /// Whether the bytes are rejected (D4).
        let mayHaveOtherOld: Bool
        let mayHaveOtherNew: Bool
    }

    /// One setting in one service.
    final class Cell {
        let setting: ModelSetting
        /// The numbers of the stores, the highest layer first.
        fileprivate(set) var layers: [Int] = []
        fileprivate(set) var steps: [Step] = []
        fileprivate(set) var events: [Event] = []
        /// The text that listeners know.
        fileprivate var known: String?
        fileprivate var marks: Set<Int> = [0]
        /// The last moment at which this process has changed the setting (D1).
        fileprivate var lastLocal = 0

        init(_ setting: ModelSetting) { self.setting = setting }
    }

    /// The bytes of one name in one store, as one setting judges them.
    struct Held {
        var stored: String?
        var inForce: String?
    }

    struct Problem: Hashable {
        let service: Int
        let code: SettingsError.Code
        let name: String
    }

    let settings: [ModelSetting]
    private(set) var moment = 0
    private(set) var cells: [[Cell]] = []
    /// By store and setting.
    private var held: [[Held]] = []
    private var writables: Set<Int> = []
    /// Each text that a store has held under a name, by store and name.
    private(set) var history: [Int: [String: [(moment: Int, text: String?)]]] = [:]
    /// The rejected texts that must be reported, and those that may be.
    private(set) var certain: [Problem: Set<String>] = [:]
    private(set) var possible: [Problem: Set<String>] = [:]
    /// The number of refused writes, at least and at most.
    private(set) var refusals: [Problem: (least: Int, most: Int)] = [:]

    init(_ settings: [ModelSetting]) { self.settings = settings }

    private func isRejected(_ text: String?, by setting: ModelSetting) -> Bool {
        text.map { setting.problem(with: $0) != nil } ?? false
    }

    func addStore(_ contents: [String: String], isWritable: Bool = true) {
        let number = held.count
        if isWritable { writables.insert(number) }
        history[number] = contents.mapValues { [(moment, $0)] }
        held.append(
            settings.map { setting in
                let stored = contents[setting.name]
                return Held(stored: stored, inForce: accepted(stored, by: setting))
            })
    }

    private func accepted(_ text: String?, by setting: ModelSetting) -> String? {
        text.flatMap { setting.problem(with: $0) == nil ? $0 : nil }
    }

    /// Adds a service over the layers of a store, in which every setting is used.
    func addService(_ layers: [Int]) {
        cells.append(settings.map(Cell.init))
        connect(cells.count - 1, to: layers)
    }

    // MARK: Changing

    /// Connects a service with another store.
    func connect(_ service: Int, to layers: [Int]) {
        moment += 1
        for cell in cells[service] {
            let isFirst = cell.layers.isEmpty
            cell.layers = layers
            cell.marks = [0]
            let (text, _) = inForce(cell)
            let told = layers.count == 1 ? held[layers[0]][cell.setting.number].stored : text
            if !isFirst { tell(cell, told, .external) }
            cell.known = told
            cell.lastLocal = moment
            cell.steps.append(Step(moment: moment, number: cell.setting.number(of: text), marks: [0]))
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
        let isFollowed = cells.contains { $0.contains { $0.layers.contains(store) } }
        for change in changes {
            history[store]?[change.name, default: [(0, nil)]].append((moment, change.new))
            for setting in settings where setting.name == change.name {
                let before = held[store][setting.number].inForce
                let stays = origin == .external && isFollowed && change.new != nil
                held[store][setting.number] = Held(
                    stored: change.new, inForce: accepted(change.new, by: setting) ?? (stays ? before : nil))
                for (service, cells) in cells.enumerated() where cells[setting.number].layers.contains(store) {
                    let isMarked = origin == .local && change.new != nil
                    step(
                        cells[setting.number], service, of: store, change, origin,
                        isMarked ? marks(service, setting.number, change.new ?? "") : [0])
                }
            }
        }
    }

    private func step(
        _ cell: Cell, _ service: Int, of store: Int, _ change: ModelChange, _ origin: SettingsService.Origin,
        _ marks: Set<Int>
    ) {
        if writables.contains(store) { cell.marks = marks }
        if origin == .local { cell.lastLocal = moment }
        let (text, layer) = inForce(cell)
        let isMarked = layer.map { writables.contains($0) && text == held[$0][cell.setting.number].stored } ?? false
        let inForceMarks = isMarked ? cell.marks : [0]
        if cell.layers.count == 1 {
            let isRejected = change.new.map { cell.setting.problem(with: $0) != nil } ?? false
            if !(isRejected && origin == .external) { tell(cell, change.new, origin, inForceMarks) }
            if isRejected, let new = change.new, let code = cell.setting.problem(with: new), origin == .external {
                certain[.init(service: service, code: code, name: change.name), default: []].insert(new)
            }
        } else {
            tell(cell, text, origin, inForceMarks)
        }
        recordPossible(of: cell, service)
        cell.steps.append(Step(moment: moment, number: cell.setting.number(of: text), marks: inForceMarks))
    }

    private func tell(_ cell: Cell, _ text: String?, _ origin: SettingsService.Origin, _ marks: Set<Int> = [0]) {
        if text == cell.known { return }
        let (old, new) = (cell.setting.number(of: cell.known), cell.setting.number(of: text))
        cell.events.append(
            Event(
                moment: moment, old: old, new: new, isSet: text != nil, origin: origin, marks: marks,
                mayHaveOtherOld: isRejected(cell.known, by: cell.setting),
                mayHaveOtherNew: isRejected(text, by: cell.setting)))
        cell.known = text
    }

    private func recordPossible(of cell: Cell, _ service: Int) {
        for layer in cell.layers {
            guard let text = held[layer][cell.setting.number].stored, let code = cell.setting.problem(with: text)
            else { continue }
            possible[.init(service: service, code: code, name: cell.setting.name), default: []].insert(text)
        }
    }

    /// Records that a service refuses a write.
    func refuse(_ service: Int, _ code: SettingsError.Code, _ name: String, isCertain: Bool = true) {
        let problem = Problem(service: service, code: code, name: name)
        refusals[problem, default: (0, 0)].most += 1
        if isCertain { refusals[problem, default: (0, 0)].least += 1 }
    }

    /// Returns how often a problem must be reported.
    func reportCount(of problem: Problem) -> ClosedRange<Int> {
        let certain = certain[problem] ?? []
        let refused = refusals[problem] ?? (0, 0)
        return certain.count + refused.least...certain.union(possible[problem] ?? []).count + refused.most
    }

    /// Records that a read without a concurrent change has met rejected bytes.
    func recordRead(_ service: Int, _ setting: ModelSetting) {
        let cell = cells[service][setting.number]
        for layer in cell.layers {
            let held = held[layer][setting.number]
            if let text = held.stored, let code = setting.problem(with: text) {
                certain[.init(service: service, code: code, name: setting.name), default: []].insert(text)
            }
            if held.inForce != nil { break }
        }
    }

    // MARK: Answers

    private func inForce(_ cell: Cell) -> (text: String?, store: Int?) {
        for layer in cell.layers {
            if let text = held[layer][cell.setting.number].inForce { return (text, layer) }
        }
        return (nil, nil)
    }

    /// Returns what may be in force for a reader that began at a moment.
    ///
    /// - Parameter isBusy: Whether other threads may be delivering (D1).
    func steps(of service: Int, _ setting: ModelSetting, since moment: Int, isBusy: Bool) -> ArraySlice<Step> {
        let cell = cells[service][setting.number]
        var first = cell.steps.lastIndex { $0.moment <= moment } ?? 0
        let isRejected = texts(of: setting, in: cell.layers, since: moment).contains {
            setting.problem(with: $0) != nil
        }
        if isBusy && isRejected {
            first = min(first, cell.steps.lastIndex { $0.moment < max(cell.lastLocal, 1) } ?? 0)
        }
        return cell.steps[first...]
    }

    /// Returns whether the default is in force although something is stored, so that nothing can be calculated.
    func isUnusable(_ service: Int, _ setting: ModelSetting) -> Bool {
        let cell = cells[service][setting.number]
        return inForce(cell).text == nil
            && cell.layers.contains { writables.contains($0) && held[$0][setting.number].stored != nil }
    }

    /// Whether listeners know the value in force.
    func isAgreed(_ cell: Cell) -> Bool {
        cell.setting.number(of: cell.known) == cell.setting.number(of: inForce(cell).text)
    }

    /// Returns the texts that stores have held under a name since a moment.
    func texts(of setting: ModelSetting, in stores: [Int], since moment: Int) -> [String] {
        stores.flatMap { held(setting.name, in: $0, since: moment).compactMap(\.text) }
    }

    /// Returns whether a store has held a text under a name at a moment since another one.
    func hasHeld(_ text: String?, _ name: String, in stores: [Int], since moment: Int) -> Bool {
        stores.contains { held(name, in: $0, since: moment).contains { $0.text == text } }
    }

    private func held(_ name: String, in store: Int, since moment: Int) -> ArraySlice<(moment: Int, text: String?)> {
        let texts = history[store]?[name] ?? [(0, nil)]
        return texts[(texts.lastIndex { $0.moment <= moment } ?? 0)...]
    }
}
