import Observation
import SettingsKitCore

/// The operations: each is made with the engine, and its answer compared with the model's.
extension ModelWorld {
    // MARK: Reading

    @discardableResult
    func get(_ service: Int, _ setting: ModelSetting) -> Int {
        var number = 0
        operate("get \(service).\(setting.number)") { _ in
            let (start, count) = (model.moment, defaultCount)
            let value = use(service, setting) { services[service].get(setting.setting) }
            check(value, service, setting, since: start)
            if setting.isComputed, value.number == setting.defaultNumber, defaultCount == count {
                fail("a computed default is not computed")
            }
            number = value.number
        }
        return number
    }

    private func use<R>(_ service: Int, _ setting: ModelSetting, _ body: () -> R) -> R {
        model.use(service, setting, .beginning)
        defer { model.use(service, setting, .used) }
        return body()
    }

    private func check(_ value: Marked, _ service: Int, _ setting: ModelSetting, since start: Int) {
        note("read \(value)")
        let steps = model.steps(of: service, setting, since: start)
        let isOfReplaced =
            lastSwitch[service] > start
            && model.hasHeld("\(value.number)", setting.name, in: Array(everUsed[service]), since: start)
        let isFed = model.isFed(model.cells[service][setting.number])
        // D11
        let mayBeDecoded = setting.isStored && value.mark == 0
        if !isOfReplaced,
            !steps.contains(where: {
                $0.numbers.contains(value.number) && ($0.marks.contains(value.mark) || mayBeDecoded || !isFed)
            })
        {
            fail(
                "\(service).\(setting.number) reads as \(value) in place of \(steps.map { "\($0.numbers)\($0.marks)" })"
            )
        }
        if start == model.moment, !mayBeBusy { model.recordRead(service, setting) }
    }

    /// Reads two settings in a transaction: the values of one moment.
    func readTogether(_ service: Int, _ first: ModelSetting, _ second: ModelSetting) {
        operate("read \(service).\(first.number) and \(second.number) together") { _ in
            let (start, wasLate) = (model.moment, isLate(service))
            let values = services[service].transaction { transaction in
                [first, second, first].map { transaction.get($0.setting).number }
            }
            guard let values else {
                if !wasLate { fail("nothing is read") }
                for setting in [first, second] {
                    model.refuse(service, .storeUnavailable, setting.name, isCertain: false)
                }
                return
            }
            note("read \(values)")
            if values[0] != values[2] { fail("a transaction reads two values") }
            let steps = [first, second].map { model.steps(of: service, $0, since: start) }
            let moments = Set(steps.joined().map(\.moment)).union([start])
            func numbers(_ index: Int, _ moment: Int) -> Set<Int> {
                (steps[index].last { $0.moment <= moment } ?? steps[index].first)?.numbers ?? []
            }
            if !moments.contains(where: {
                numbers(0, $0).contains(values[0]) && numbers(1, $0).contains(values[1])
            }) {
                fail("\(values) are read together in place of \(steps)")
            }
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

    // MARK: Writing

    /// Sets a value, and checks that it is stored or refused.
    ///
    /// - Parameter fails: Whether the store fails to write it.
    func set(_ service: Int, _ setting: ModelSetting, to number: Int, throwing: Bool = false, fails: Bool = false) {
        operate("set \(service).\(setting.number) to \(number)") { operation in
            let (start, wasLate) = (model.moment, isLate(service))
            let refusal = setting.problem(settingTo: number) ?? (fails ? .writeFailed : nil)
            if fails { failing.insert(operation) }
            expectMark(of: number, service, setting, operation)
            let value = Marked(number: number, mark: operation)
            var code: SettingsError.Code?
            if throwing {
                code = thrownCode { try services[service].save(setting.setting, to: value) }
                if code == .storeUnavailable, wasLate { return pending.removeAll { $0.mark == operation } }
                if code != refusal, code != .locked { fail("save throws \(String(describing: code))") }
            } else {
                services[service].set(setting.setting, to: value)
                if let refusal { model.refuse(service, refusal, setting.name) }
            }
            pending.removeAll { $0.mark == operation }
            if refusal != nil {
                if commits[operation] != nil { fail("a refused write changes something") }
            } else {
                checkWritten(
                    operation, service, setting, "\(number)", since: start, isThrown: throwing ? code != nil : nil)
            }
        }
    }

    private func expectMark(of number: Int, _ service: Int, _ setting: ModelSetting, _ operation: Int) {
        if setting.problem(settingTo: number) != nil { return }
        pending.append(.init(service: service, setting: setting.number, text: "\(number)", mark: operation))
    }

    func reset(_ service: Int, _ setting: ModelSetting) {
        operate("reset \(service).\(setting.number)") { operation in
            let start = model.moment
            services[service].reset(setting.setting)
            checkWritten(operation, service, setting, nil, since: start)
        }
    }

    /// Checks that a text is stored, unless the setting is locked.
    ///
    /// - Parameter isThrown: Whether an error was thrown; nil if errors are reported.
    private func checkWritten(
        _ operation: Int, _ service: Int, _ setting: ModelSetting, _ text: String?, since start: Int,
        isThrown: Bool? = nil
    ) {
        let steps = model.steps(of: service, setting, since: start)
        if let changes = commits[operation] {
            if changes.count > 1 || changes[0].new != text { fail("a write stores \(changes)") }
            if steps.allSatisfy(\.isLocked) { fail("a locked setting is written") }
            return
        }
        let isKnown = model.hasHeld(text, setting.name, in: everUsed[service].filter(model.isWritable), since: start)
        let mayBeLocked = model.mayBeLocked(service, setting, since: start)
        if isThrown == true ? !mayBeLocked : !isKnown && !mayBeLocked { fail("a write is lost") }
        if mayBeLocked, isThrown == nil {
            model.refuseLocked(service, setting.name, isCertain: !isKnown)
        }
    }

    /// Sets two settings of different names in one transaction.
    func setTogether(_ service: Int, _ values: [(setting: ModelSetting, number: Int)]) {
        operate("set \(service) " + values.map { "\($0.setting.number) to \($0.number)" }.joined(separator: ", ")) {
            operation in
            let (start, wasLate) = (model.moment, isLate(service))
            let refusal = values.lazy.compactMap { setting, number in
                setting.problem(settingTo: number).map { ($0, setting.name) }
            }.first
            for (setting, number) in values { expectMark(of: number, service, setting, operation) }
            let result: Void? = services[service].transaction { transaction in
                for (setting, number) in values {
                    transaction.set(setting.setting, to: Marked(number: number, mark: operation))
                    // A layer above may be in force.
                    if refusal != nil || layers[service].count > 1 { continue }
                    let value = transaction.get(setting.setting)
                    if value.number != number { fail("a transaction reads \(value) after \(number)") }
                }
            }
            pending.removeAll { $0.mark == operation }
            let changes = commits[operation] ?? []
            if let refusal {
                model.refuse(service, refusal.0, refusal.1)
                if !changes.isEmpty { fail("a refused transaction changes something") }
                return
            }
            if result == nil, wasLate {
                // A store that is not open yet keeps no transaction.
                for name in [""] + values.map(\.setting.name) {
                    model.refuse(service, .storeUnavailable, name, isCertain: false)
                }
                if !changes.isEmpty { fail("a refused transaction changes something") }
                return
            }
            let isLocked = values.map { setting, _ in
                model.mayBeLocked(service, setting, since: start)
            }
            if isLocked.contains(true) {
                for (setting, _) in values { model.refuseLocked(service, setting.name, isCertain: false) }
                return
            }
            for (setting, number) in values {
                let change = changes.first { $0.name == setting.name }
                let isStored =
                    change.map { $0.new == "\(number)" }
                    ?? model.hasHeld("\(number)", setting.name, in: Array(everUsed[service]), since: start)
                if !isStored { fail("a transaction stores \(changes)") }
            }
            if commitCounts[operation] ?? 0 > 1 { fail("a transaction commits twice") }
        }
    }

    /// Adds a number to a value: to the one in force when it commits.
    func update(_ service: Int, _ setting: ModelSetting, adding summand: Int) {
        operate("update \(service).\(setting.number) by \(summand)") { operation in
            let (start, wasLate) = (model.moment, isLate(service))
            checksCommit[operation] = { [self] changes in
                // Layers that are not written to are compared when the write begins.
                let since = switchCount[service] > 0 || layers[service].count > 1 ? start : model.moment
                let steps = model.steps(of: service, setting, since: since)
                let isRight = steps.contains { $0.numbers.contains { "\($0 + summand)" == changes.first?.new } }
                if changes.count != 1 || !isRight || since > start && model.isUnusable(service, setting) {
                    fail("an update stores \(changes) after \(steps)")
                }
            }
            let result: Int? = services[service].update(setting.setting) { value in
                point("update")
                value = Marked(number: value.number + summand, mark: operation)
                expectMark(of: value.number, service, setting, operation)
                return value.number
            }
            pending.removeAll { $0.mark == operation }
            if result == nil { recordRefusal(of: summand, service, setting, since: start, wasLate) }
            if (result == nil) == (commits[operation] != nil) {
                fail("an update returns \(String(describing: result)), and stores \(commits[operation] ?? [])")
            }
        }
    }

    private func recordRefusal(
        of summand: Int, _ service: Int, _ setting: ModelSetting, since start: Int, _ wasLate: Bool
    ) {
        let steps = model.steps(of: service, setting, since: start)
        var codes = Set(steps.flatMap(\.numbers).compactMap { setting.problem(settingTo: $0 + summand) })
        let stores = everUsed[service].filter(model.isWritable)
        codes.formUnion(model.texts(of: setting, in: Array(stores), since: start).compactMap(setting.problem))
        let mayBeLocked = model.mayBeLocked(service, setting, since: start)
        if mayBeLocked { model.refuseLocked(service, setting.name, isCertain: false) }
        if wasLate {
            codes.insert(.storeUnavailable)
            model.refuse(service, .storeUnavailable, setting.name, isCertain: false)
        }
        if codes.isEmpty, !mayBeLocked { fail("an update is refused") }
        for code in codes {
            let isCertain = codes.count == 1 && !mayBeLocked && !wasLate && lastSwitch[service] <= start
            model.refuse(service, code, setting.name, isCertain: isCertain)
        }
    }

    /// Changes a store as another process does, or as this one does elsewhere.
    func edit(_ store: Int, _ changes: [(String, String?)], _ origin: SettingsService.Origin = .external) {
        operate("edit \(store)") { _ in stores[store].edit(changes, origin) }
    }

    // MARK: Listening

    func observe(_ service: Int, _ setting: ModelSetting, reaction: (@Sendable () -> Void)? = nil) {
        operate("observe \(service).\(setting.number)") { _ in
            let listener = Listener(service, model.cells[service][setting.number], since: model.moment)
            listeners.append(listener)
            model.use(service, setting, .beginning)
            defer { model.use(service, setting, .used) }
            listener.subscription = services[service].observe(setting.setting) { [weak self, weak listener] change in
                guard let self, let listener else { return }
                deliver(change.oldValue, change.newValue, isSet: change.isSet, change.origin, to: listener)
                point("listener")
                reaction?()
            }
            listener.until = model.moment
        }
    }

    /// Observes all settings of a service.
    func observeAll(_ service: Int) {
        operate("observe \(service)") { _ in
            let group = Group(service: service, since: model.moment)
            groups.append(group)
            group.subscription = services[service].observe(in: .defaults) { [weak self, weak group] changes in
                guard let self, let group else { return }
                deliver(Set(changes.keys.map(\.name)), changes.origin, to: group)
                point("group")
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

    // MARK: Stores

    /// Connects a service with another store.
    func connect(_ service: Int, to store: Int) {
        // D8
        let mayWait = switchCount[service] > 0 && isBusy(inside: 0)
        if mayWait || switching[service] != nil || layers[service] == [store] { return }
        operate("connect \(service) to \(store)") { _ in
            switching[service] = (Scheduler.current?.number ?? -1, layers[service][0], store)
            services[service].register(stores[store], for: .defaults)
            recordSwitch()
        }
    }

    /// Begins another service over a store.
    func begin(over store: Int) {
        operate("begin a service over \(store)") { _ in
            let service = services.count
            addService(over: stores[store], [store])
            for setting in settings { observe(service, setting) }
            for setting in settings { get(service, setting) }
        }
    }

    /// Tries to open a store that may not be open yet.
    func open(_ store: Int) {
        guard let late = late[store] else { return }
        operate("open \(store)") { _ in
            isOpen.value = true
            if late.tryNow() == nil { lateStores.remove(store) }
        }
    }
}
