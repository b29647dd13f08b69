import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// @unchecked: `state` is the only stored property that changes without an atomic. It is used only inside the lock of `connection`.
/// One setting in one connection: the part that does not depend on the type of its value.
///
/// A name may have several slots: two definitions, a property, a record's field.
@usableFromInline class AnySlot: @unchecked Sendable {
    let key: SettingsService.StorageKey
    /// The connection outlives the use of its slots: a caller that reads, writes or listens holds the service, which holds it.
    unowned let connection: Connection
    var state: SlotState

    init(_ key: SettingsService.StorageKey, _ connection: Connection) {
        (self.key, self.connection, state) = (key, connection, SlotState())
    }

    var name: String { key.name }

    // `Slot` overrides these. Swift has no abstract members.

    /// The validity of the cached value: it changes with each invalidation.
    var token: UInt64 { 0 }
    /// Invalidates the cached value.
    func invalidate() {}
    /// Whether releasing a value runs no `deinit` of a user.
    var hasPlainValues: Bool { true }
    /// Whether a set value is kept beside its bytes, because decoding those may give another value or take long.
    var keepsSetValues: Bool { false }

    /// Returns what is in force. A pure function of its arguments, but that the type's own code decodes; no lock is held.
    ///
    /// - Parameters:
    ///   - row: What the sources hold, completely.
    ///   - last: What was in force before.
    ///   - set: The value that this program has set, if the row is that of its commit.
    func judge(_ row: Row, after last: Verdict?, set: SetValue? = nil, in sources: Sources) -> Verdict {
        preconditionFailure("Every slot is a Slot.")
    }

    /// What was in force when that was last settled; nil if it is not known.
    var settled: Verdict? { connection.view(of: self)?.state.settled }

    /// Increases with each change of what the sources hold, but not when a value is cached.
    var moment: UInt64 { (token &- 1) | 1 }

    /// What a reader finds.
    struct Reading {
        let sources: Sources
        /// What the sources hold, completely.
        let row: Row
        let verdict: Verdict
        /// What to cache the value with; nil if the sources do not publish all of their changes, or a source cannot be read.
        let token: UInt64?

        /// Why the setting cannot be changed; nil if it can.
        var lock: SettingsService.Lock? { sources.lock(row, verdict) }
    }

    /// Returns what the sources hold and what is in force at a moment during the call, and reports what is rejected; nil without a
    /// store.
    func read() -> Reading? {
        var attempt = 0
        while true {
            attempt += 1
            guard let (reading, state, moment) = look() else { return nil }
            if reading.verdict === state.settled, state.isSettled, state.steps.isEmpty { return reading }
            connection.report(reading.verdict, of: key, in: reading.sources)
            if connection.settle(self, reading.row, reading.verdict, at: moment) { return reading }
            // What was read while something changed may be of no moment.
            let mayBeMixed = reading.sources.isExhaustive && state.newest.contains { $0 == nil }
            if !mayBeMixed || attempt == CoreLimits.readingAttempts { return reading }
        }
    }

    /// Returns the same, and reports and keeps nothing.
    func look() -> (Reading, SlotState, moment: UInt64)? {
        guard let (sources, state, token, moment) = connection.view(of: self) else { return nil }
        let known = state.newest
        // What the sources hold need not be read again if they publish all of their changes.
        let row = sources.complete(known, key)
        var verdict = state.settled
        if sources.isExhaustive, let first = state.steps.first {
            verdict = judgeBase(state, before: first)
            for step in state.steps { verdict = judge(step.completed(key), after: verdict) }
        }
        let isJudged = !known.contains { $0 == nil } && (state.isSettled || !state.steps.isEmpty)
        if !isJudged || verdict == nil { verdict = judge(row, after: verdict, in: sources) }
        guard let verdict else { return nil }
        let mayCache = sources.isExhaustive && !row.contains { $0?.content.problem != nil }
        return (Reading(sources: sources, row: row, verdict: verdict, token: mayCache ? token : nil), state, moment)
    }

    /// Returns what was in force before the first step.
    func judgeBase(_ state: SlotState, before step: SlotState.Step) -> Verdict {
        if let before = step.before { return judge(step.sources.complete(before, key), after: nil, in: step.sources) }
        if state.isSettled, let settled = state.settled { return settled }
        guard let sources = state.sources else { return judge([], after: nil, in: step.sources) }
        return judge(sources.complete(state.base, key), after: state.settled, in: sources)
    }

    /// Returns what is in force after a step, whose row is completely known.
    func judge(_ step: SlotState.Step, after last: Verdict?) -> Verdict {
        var last = step.isRecheck ? nil : last
        if let earlier = step.earlier {
            last = judge(step.sources.complete(earlier.row, key), after: last, set: earlier.set, in: step.sources)
        }
        return judge(step.row, after: last, set: step.set, in: step.sources)
    }
}

/// What a connection knows of a slot: what is in force, the changes that follow, and the listeners.
///
/// What is in force is the fold of ``AnySlot/judge(_:after:set:in:)`` over the rows since the last settled verdict, in the order of
/// their commits. The thread that delivers and every reader compute it, so no thread waits for the verdict of another.
struct SlotState {
    /// A change that waits for its delivery.
    struct Step {
        /// The number of the commit; of the first one, if the step stands for several.
        let commit: UInt64
        /// The number of the last commit that it stands for.
        var last: UInt64
        var origin: SettingsService.Origin
        let sources: Sources
        /// Whether another store took the place of the last one, so that no earlier value counts.
        let isRecheck: Bool
        /// What the store says it held before, if its feed is not exhaustive.
        var before: Row?
        var row: Row
        var set: SetValue?
        /// Whether this program made the change.
        var isOwn: Bool
        /// The last row that this program wrote, of those that the step stands for and ``row`` replaces.
        var earlier: (row: Row, set: SetValue?)?

        /// Returns the step with everything that its sources hold.
        func completed(_ key: SettingsService.StorageKey) -> Step {
            var step = self
            step.row = sources.complete(row, key)
            return step
        }
    }

    /// The sources whose row ``base`` is; nil without a store.
    var sources: Sources?
    /// What the sources held before the first step, as far as it is known.
    var base: Row = []
    /// What was in force before the first step, or before the last changes of ``base``; nil if that is not known.
    var settled: Verdict?
    /// Whether ``settled`` is the verdict on ``base``.
    var isSettled = false
    var steps: [Step] = []
    var listeners: [SettingListener] = []
    /// Increases when the first step or the base is not what it was.
    var edits = 0
    var isRemoved = false

    /// What the sources hold, as far as it is known.
    var newest: Row { steps.last.map { Self.kept($0.row, in: $0.sources) } ?? base }

    /// Returns what may be kept of a row: not what a source holds that changes without a notice, or that could not be read.
    static func kept(_ row: Row, in sources: Sources) -> Row {
        var row = row
        for index in row.indices {
            guard let element = row[index] else { continue }
            if !sources.all[index].isExhaustive || element.content.problem != nil { row[index] = nil }
        }
        return row
    }

    /// Records what a source held in all rows in which it is not known: it has not changed since.
    mutating func learn(_ content: Held.Content, at index: Int) {
        let isBaseOfSame = !steps.contains(where: \.isRecheck)
        if isBaseOfSame, index < base.count, base[index] == nil {
            base[index] = Held(content: content)
            (edits, isSettled) = (edits + 1, false)
        }
        for place in (steps.lastIndex(where: \.isRecheck) ?? 0)..<steps.count where steps[place].row[index] == nil {
            steps[place].row[index] = Held(content: content)
            if place == 0 { edits += 1 }
        }
    }

    /// Records a change.
    ///
    /// - Parameters:
    ///   - set: The value of the change, if this slot has set it.
    ///   - commit: The number of the commit that is delivered, and that of this change, which it may stand for.
    ///   - isWatched: Whether it must be delivered even if nothing waits.
    /// - Returns: Whether the change is to be delivered, and what is to be released outside of every lock.
    mutating func record(
        _ old: Held.Content, _ new: Held.Content, of source: Source, in sources: Sources,
        _ origin: SettingsService.Origin, set: SetValue?, commit: (delivered: UInt64, own: UInt64), isWatched: Bool
    ) -> (isDelivered: Bool, released: [AnyObject]) {
        let index = source.index
        let isKept = source.isExhaustive
        if isKept { learn(old, at: index) }
        // With layers, what is in force now counts for values from outside in the other layers.
        let isJudged = base.count > 1 && base.contains { $0?.isFromOutside ?? false }
        guard isWatched || isJudged || !steps.isEmpty else {
            base[index] = isKept ? Held(content: new) : nil
            let released = settled.map { [$0] } ?? []
            let verdict = set.map { Verdict($0.value, of: (index, new), rejecting: []) }
            // A listener that is added before the next reading begins with what is in force then.
            settled = isKept && base.count == 1 ? verdict : nil
            isSettled = settled != nil
            return (false, released)
        }
        let known = newest
        var row = known
        row[index] = Held(content: new, isFromOutside: origin == .external)
        var before: Row?
        if !isKept {
            before = known
            before?[index] = Held(content: old)
        }
        if let last = steps.last, last.commit == commit.delivered {
            return (false, merge(row, set, origin, commit.own))
        }
        steps.append(
            Step(
                commit: commit.delivered, last: commit.own, origin: origin, sources: sources, isRecheck: false,
                before: before, row: row, set: set, isOwn: origin == .local))
        return (true, [])
    }

    /// Lets the last step stand for a change, too. A last good value from outside may be forgotten then, and nothing else.
    private mutating func merge(
        _ row: Row, _ set: SetValue?, _ origin: SettingsService.Origin, _ commit: UInt64
    ) -> [AnyObject] {
        let place = steps.count - 1
        let last = steps[place]
        var released: [AnyObject?] = []
        if origin == .external, last.isOwn {
            released = [last.earlier?.set]
            steps[place].earlier = (last.row, last.set)
        } else {
            released = [last.set]
            if origin == .local {
                released.append(last.earlier?.set)
                steps[place].earlier = nil
            }
        }
        if origin == .external { steps[place].origin = .external }
        (steps[place].row, steps[place].set, steps[place].last) = (row, set, commit)
        steps[place].isOwn = origin == .local
        return released.compactMap { $0 }
    }

    /// Records that another store took the place of the last one.
    ///
    /// - Parameters:
    ///   - before: What the last one held, if it is not known here.
    ///   - lastListening: The last commit before the newest listener was added.
    /// - Returns: Whether that is to be delivered, and what is to be released outside of every lock.
    mutating func reconnect(
        to new: Sources, before: Row?, commit: UInt64, lastListening: UInt64
    ) -> (isDelivered: Bool, released: [AnyObject]) {
        if listeners.isEmpty, steps.isEmpty {
            defer { (sources, base, settled, isSettled) = (new, new.unknown, nil, false) }
            return (false, settled.map { [$0] } ?? [])
        }
        if let before, steps.isEmpty, base.contains(where: { $0 == nil }) { (base, isSettled) = (before, false) }
        // A store that was replaced before it was read is skipped, unless a listener began with its value.
        let skipped = steps.last.flatMap { $0.isRecheck && $0.commit > lastListening ? $0 : nil }
        if skipped != nil {
            steps.removeLast()
            if steps.isEmpty { edits += 1 }
        }
        steps.append(
            Step(
                commit: skipped?.commit ?? commit, last: commit, origin: .external, sources: new, isRecheck: true,
                before: nil, row: new.unknown, set: nil, isOwn: false))
        let released: [AnyObject?] = [skipped?.set, skipped?.earlier?.set]
        return (skipped == nil, released.compactMap { $0 })
    }
}

/// One setting in one connection, with its decoded value.
@usableFromInline final class Slot<Value: Sendable>: AnySlot, TrackedValue, @unchecked Sendable {
    private let coding: ValueCoding<Value>
    private let whenInvalidated: (@Sendable () -> Void)?
    @usableFromInline let cached = CachedValue<Value>()
    @usableFromInline let trackers = Trackers()

    init(of setting: SettingsService.Setting<Value>, _ connection: Connection) {
        (coding, whenInvalidated) = (setting.coding, setting.whenInvalidated)
        super.init(setting.key, connection)
    }

    /// Returns the setting's value: from memory if it is cached, otherwise from the store.
    @inlinable @inline(__always) func value() -> Value {
        cached.read() ?? refreshedValue()
    }

    override var token: UInt64 { cached.token }

    /// Whether the value is in memory.
    var isCached: Bool { cached.token & 1 == 0 }

    override func invalidate() {
        cached.invalidate()
        whenInvalidated?()
    }

    override var hasPlainValues: Bool { _isPOD(Value.self) || Value.self == String.self }

    override var keepsSetValues: Bool { !coding.form.isExact }

    /// Returns the value in force, and caches it if the store publishes all of its changes.
    ///
    /// A value that cannot be read, or that the setting rejects, is diagnosed.
    @usableFromInline @inline(never) func refreshedValue() -> Value {
        guard let reading = read() else {
            connection.diagnostics.reportOnce(SettingsError(.noStore, key: key))
            return coding.defaultValue
        }
        let isDefault = reading.verdict.origin == nil
        if case .once(let once) = coding.default.source {
            if isDefault, reading.row.allSatisfy({ $0?.content == .nothing }) { return storedDefault(once, reading) }
            if !isDefault { once.forget() }
        }
        let value = value(of: reading.verdict)
        // A computed default may be another one later, without a notification.
        let isConstant = !isDefault || coding.hasConstantDefault
        if isConstant, let token = reading.token { cached.publish(value, token: token) }
        return value
    }

    /// Returns the value of a verdict on this setting.
    func value(of verdict: Verdict) -> Value {
        // In two steps: casting "no value" to an optional type would give its nil. A conditional cast would take twice as long.
        guard let value = verdict.value else { return coding.defaultValue }
        return value as! Value
    }

    /// Stores a default that is computed once, unless another value was stored meanwhile.
    ///
    /// - Returns: The value that is now in force.
    private func storedDefault(_ once: OnceValue<Value>, _ reading: Reading) -> Value {
        let value = once.value
        let sources = reading.sources
        do throws(SettingsError) {
            try sources.requireOpen()
            guard let data = try coding.bytesOfDefault(value) else { return value }
            let batch = SettingsStoreBatch(
                writes: [.init(key: key, data: data)], expectations: [.init(key: key, data: nil)], options: .ofSet)
            _ = try sources.apply(batch)
            // This value, decoded, or that of another process.
            guard let verdict = read()?.verdict, verdict.origin != nil else { return value }
            once.forget()
            return self.value(of: verdict)
        } catch {
            connection.diagnostics.reportOnce(error.completed(key: key, store: nil))
            // Keep the value until the store changes, so that not every read tries again.
            if let token = reading.token { cached.publish(value, token: token) }
            return value
        }
    }

    override func judge(_ row: Row, after last: Verdict?, set: SetValue? = nil, in sources: Sources) -> Verdict {
        var rejections: [Verdict.Rejection] = []
        for (index, element) in row.enumerated() {
            guard let element else { continue }
            let content = element.content
            do throws(SettingsError) {
                let value: Value
                switch content {
                case .nothing: continue
                case .unreadable(let error): throw error
                case .text(let candidate) where !coding.concerns(candidate): continue
                case .bytes(let data) where index == sources.writable && set?.data == data:
                    return Verdict(set?.value, of: (index, content), rejecting: rejections)
                case .bytes, .text:
                    if let last, let origin = last.origin, origin.source == index, origin.content == content {
                        if rejections.isEmpty, last.rejections.isEmpty { return last }
                        return Verdict(last.value, of: origin, rejecting: rejections)
                    }
                    value = try self.value(of: content, at: index, in: sources)
                }
                return Verdict(value, of: (index, content), rejecting: rejections)
            } catch {
                rejections.append(.init(source: index, data: sources.all[index].candidate(content)?.data, error: error))
            }
            // What a layer held that cannot be read now is still in force.
            let isKept = element.isFromOutside || content.problem != nil && index != sources.writable
            if isKept, let last, let origin = last.origin, origin.source == index {
                return Verdict(last.value, of: origin, rejecting: rejections)
            }
        }
        return Verdict(nil, of: nil, rejecting: rejections)
    }

    private func value(
        of content: Held.Content, at index: Int, in sources: Sources
    ) throws(SettingsError) -> Value {
        // Most stores have no layers, and their bytes need no candidate.
        if !sources.isLayered, case .bytes(let data) = content { return try coding.value(for: data) }
        guard let candidate = sources.all[index].candidate(content) else { return coding.defaultValue }
        return try coding.value(of: candidate)
    }

    /// Returns the value of the first source that has one.
    ///
    /// - Throws: The error if the setting rejects it.
    func firstValue(in row: Row, _ sources: Sources) throws(SettingsError) -> Value {
        for (index, element) in row.enumerated() {
            guard let content = element?.content else { continue }
            if let problem = content.problem { throw problem.completed(key: key, store: nil) }
            guard let candidate = sources.all[index].candidate(content), coding.concerns(candidate) else { continue }
            return try value(of: content, at: index, in: sources)
        }
        return coding.defaultValue
    }

    @usableFromInline func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        connection.listen(to: self, .signal(signal))
    }
}
