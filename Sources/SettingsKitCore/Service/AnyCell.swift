import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change as it was committed: bytes, and the decoded new value where it is known.
struct CommittedChange: Sendable {
    var oldData: Data?
    var newData: Data?
    /// The value that was set, where this process set it: listeners get it as it was before encoding.
    var newValue: (any Sendable)?
    var origin: SettingsService.Origin
    /// Whether another process, an editor or a device made it, so that the new bytes may be no value of the setting.
    var isFromOutside: Bool
    /// Which commit of the channel this was.
    var sequence: UInt64
}

/// What listeners are told of: a change, or that setting the value has failed.
enum CellEvent: Sendable {
    case change(ToldChange)
    case failure(SettingsError)
}

/// A change as listeners are told of it; the values are of the setting's type.
struct ToldChange: Sendable {
    var oldValue: any Sendable
    var newValue: any Sendable
    var origin: SettingsService.Origin
    /// Why the new value is the default, where something is stored that could not be decoded.
    var problem: SettingsError?
}

/// Somebody who wants to know of one setting's changes.
final class CellListener: Sendable {
    enum Body: Sendable {
        /// Is told each change, with its values, and each failure.
        case event(@Sendable (CellEvent) -> Void)
        /// Is told only that commit number so-and-so was one of this setting's, and reads for itself.
        case signal(@Sendable (UInt64) -> Void)
    }

    let body: Body
    /// Commits up to this one were before the listener's time.
    let since: UInt64
    let isActive = Atomic(true)

    init(since: UInt64, body: Body) {
        self.since = since
        self.body = body
    }
}

// @unchecked: a class with a subclass cannot be checked. It has only `let`s of Sendable types.
/// What a service keeps of one setting, as far as it does not depend on the type of its value: who listens, and what they
/// have not been told yet.
///
/// ``Cell`` is the subclass for settings, ``FieldCell`` the one for fields of records. Values are passed as `any Sendable`
/// here, so that writing runs no unspecialised generic code but the encoding.
@usableFromInline class AnyCell: @unchecked Sendable {
    /// A value that is being set, held out to the commit of its own bytes.
    private struct Offer {
        var data: Data?
        var value: any Sendable
        var token: UInt64?
    }

    /// What waits to be told.
    private enum Event {
        case change(CommittedChange)
        /// With those who listened when it happened: a failure has no number that would tell.
        case failure(SettingsError, [CellListener])
    }

    /// Bytes that were stored before others took their place.
    private struct EarlierBytes {
        var data: Data?
        /// The commit that replaced them.
        var commit: UInt64 = 0
    }

    private struct Inbox {
        var listeners: [CellListener] = []
        var events: [Event] = []
        var offer: Offer?
        /// The last value that listeners were told, to be the next change's old one.
        var lastTold: (data: Data?, value: any Sendable)?
        /// The last good bytes, from a change from outside until its new bytes were found to be a value.
        var lastGood: EarlierBytes?
        /// The bytes that listeners take for the stored ones, while they were not told of a change to undecodable ones.
        var heldBack: EarlierBytes?
    }

    /// How many events wait for their listeners before the newest changes are merged into one.
    private static let eventLimit = 1_024

    final let name: String
    /// The channel outlives its cells' use: whoever reads, writes or listens holds the service, which holds the channel.
    final unowned let channel: Channel
    private final let validity: Validity
    private final let inbox = Mutex(Inbox())

    init(name: String, channel: Channel, validity: Validity) {
        self.name = name
        self.channel = channel
        self.validity = validity
    }

    // MARK: What depends on the type

    /// The value that stored bytes stand for; the default, with a diagnostic, when they stand for none.
    func decoded(_ data: Data?) -> (value: any Sendable, problem: SettingsError?) {
        preconditionFailure("Implemented by a subclass that is listened to for values.")
    }

    /// Whether changes from outside are decoded before they are told, so that one to undecodable bytes can be held back.
    var checksChangesFromOutside: Bool { false }

    /// Takes note of the bytes that are stored from now on. Inside the channel's lock.
    func noteStored(_ data: Data?) {}

    /// Takes note that other bytes may be stored now, because the store is another one. Inside the channel's lock.
    func forgetStored() {}

    // MARK: Writing

    /// Holds out a value that is about to be committed as `data`, so that it need not be decoded from it again.
    final func offer(_ value: any Sendable, as data: Data?) {
        let replaced = inbox.withLock { inbox in
            let replaced = inbox.offer
            inbox.offer = Offer(data: data, value: value)
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    /// Takes the offer of these bytes back. (Another thread may have offered others in the meantime; they stay.)
    ///
    /// - Returns: the token under which the value may be kept; nil if it was not committed.
    final func withdrawOffer(of data: Data?) -> UInt64? {
        let offer = inbox.withLock { inbox in
            guard let offer = inbox.offer, offer.data == data else { return nil as Offer? }
            inbox.offer = nil
            return offer
        }
        return offer?.token
    }

    // MARK: Noticing

    /// Makes the kept value invalid.
    final func invalidate() {
        forgetStored()
        inbox.withLock { $0.lastGood = nil }
        validity.invalidate()
    }

    /// Makes the kept value invalid and takes note of a change.
    ///
    /// - Returns: whether ``deliver()`` must be called once more than before: the change has listeners or is to be checked,
    ///   and was not merged into one that waits already.
    final func take(_ change: CommittedChange) -> Bool {
        noteStored(change.newData)
        let token = validity.invalidate()
        return inbox.withLock { inbox in
            var change = change
            if let offer = inbox.offer, offer.data == change.newData {
                inbox.offer?.token = token
                change.newValue = offer.value
            }
            let isToBeChecked = change.isFromOutside && checksChangesFromOutside
            if !isToBeChecked {
                inbox.lastGood = nil
            } else if inbox.lastGood == nil {
                inbox.lastGood = EarlierBytes(data: change.oldData, commit: change.sequence)
            }
            if inbox.listeners.isEmpty, !isToBeChecked, inbox.events.isEmpty {
                inbox.heldBack = nil
                return false
            }
            if inbox.events.count < Self.eventLimit {
                inbox.events.append(.change(change))
                return true
            }
            let last = inbox.events.count - 1
            if case .change(let waiting) = inbox.events[last] {
                change.oldData = waiting.oldData
                if waiting.origin == .external { change.origin = .external }
                if waiting.isFromOutside { change.isFromOutside = true }
            }
            inbox.events[last] = .change(change)
            return false
        }
    }

    /// Takes note that setting the value has failed.
    ///
    /// - Returns: whether ``deliver()`` must be called once more than before.
    final func take(_ failure: SettingsError) -> Bool {
        inbox.withLock { inbox in
            // Where too much waits already, the diagnostics alone tell of it.
            if inbox.listeners.isEmpty || inbox.events.count >= Self.eventLimit { return false }
            inbox.events.append(.failure(failure, inbox.listeners))
            return true
        }
    }

    // MARK: Telling

    final var hasListeners: Bool { inbox.withLock { !$0.listeners.isEmpty } }

    /// Adds a listener to the changes that are committed from now on.
    ///
    /// - Returns: what ends it.
    final func listen(_ body: CellListener.Body) -> @Sendable () -> Void {
        let listener = CellListener(since: channel.sequence, body: body)
        inbox.withLock { $0.listeners.append(listener) }
        channel.noteListener()
        return { [self] in
            listener.isActive.store(false, ordering: .releasing)
            let released = inbox.withLock { inbox in
                inbox.listeners.removeAll { $0 === listener }
                guard inbox.listeners.isEmpty else { return nil as (any Sendable)? }
                defer { inbox.lastTold = nil }
                return inbox.lastTold?.value
            }
            withExtendedLifetime(released) {}
        }
    }

    /// Tells the listeners of the oldest event that they have not been told of. One thread at a time.
    final func deliver() {
        let next = inbox.withLock { inbox in
            inbox.events.isEmpty ? nil : (inbox.events.removeFirst(), inbox.listeners)
        }
        switch next {
        case (.change(let committed), let listeners)?: deliver(committed, to: listeners)
        case (.failure(let error, let listeners), _)?: tell(error, to: listeners)
        case nil: break
        }
    }

    private final func deliver(_ committed: CommittedChange, to listeners: [CellListener]) {
        var committed = committed
        if committed.isFromOutside && checksChangesFromOutside {
            let (value, problem) = decoded(committed.newData)
            settleCheck(of: committed, isGood: problem == nil)
            if let problem { return tell(problem, to: listeners.filter { $0.since < committed.sequence }) }
            committed.newValue = value
        }
        let heldBack = inbox.withLock { inbox in
            defer { inbox.heldBack = nil }
            return inbox.heldBack
        }
        if let heldBack {
            committed.oldData = heldBack.data
            // Undecodable bytes were replaced by the ones from before: nothing has changed for listeners.
            if committed.newData == heldBack.data { return }
        }
        var change: ToldChange?
        for listener in listeners where listener.since < committed.sequence {
            // Decoding first, because it takes time: no callback may begin after its listener was cancelled.
            if case .event = listener.body, change == nil { change = toldChange(committed) }
            guard listener.isActive.load(ordering: .acquiring) else { continue }
            switch listener.body {
            case .event(let tell): if let change { tell(.change(change)) }
            case .signal(let tell): tell(committed.sequence)
            }
        }
    }

    /// Notes whether the new bytes of a change from outside are a value.
    private final func settleCheck(of committed: CommittedChange, isGood: Bool) {
        let hasNewValueInForce = inbox.withLock { inbox in
            guard isGood else {
                // Unless a change without listeners was made meanwhile.
                if inbox.heldBack == nil, inbox.lastGood != nil || !inbox.events.isEmpty {
                    inbox.heldBack = EarlierBytes(data: committed.oldData)
                }
                return false
            }
            // Unless it is about later changes.
            guard let lastGood = inbox.lastGood, lastGood.commit <= committed.sequence else { return false }
            let isLast = !inbox.events.contains { if case .change = $0 { true } else { false } }
            inbox.lastGood = isLast ? nil : EarlierBytes(data: committed.newData, commit: lastGood.commit)
            return !isLast
        }
        // An older value may be kept in the place of undecodable bytes that came after these.
        if hasNewValueInForce { validity.invalidate() }
    }

    /// Whether the last change that was delivered is one to undecodable bytes, which listeners were not told.
    final var isHoldingBack: Bool { inbox.withLock { $0.heldBack != nil } }

    /// The last good bytes, where those that are stored now came from outside; nil if there is nothing to go back to.
    final var lastGoodBytes: Data?? { inbox.withLock { $0.lastGood.map(\.data) } }

    /// Tells those who listen to failures, too, that stored bytes could not be decoded.
    private final func tell(_ failure: SettingsError, to listeners: [CellListener]) {
        for listener in listeners {
            guard case .event(let tell) = listener.body, listener.isActive.load(ordering: .acquiring) else { continue }
            tell(.failure(failure))
        }
    }

    private final func toldChange(_ committed: CommittedChange) -> ToldChange {
        let (newValue, problem) = committed.newValue.map { ($0, nil) } ?? decoded(committed.newData)
        let lastTold = inbox.withLock { inbox in
            defer { inbox.lastTold = (committed.newData, newValue) }
            return inbox.lastTold
        }
        let isKnown = lastTold.map { $0.data == committed.oldData } ?? false
        let oldValue = isKnown ? lastTold?.value : nil
        return ToldChange(
            oldValue: oldValue ?? decoded(committed.oldData).value, newValue: newValue, origin: committed.origin,
            problem: problem)
    }

    final func leaveChannel() {
        channel.remove(self)
    }
}
