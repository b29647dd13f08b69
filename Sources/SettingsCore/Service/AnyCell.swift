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

    private struct Inbox {
        var listeners: [CellListener] = []
        var events: [Event] = []
        var offer: Offer?
        /// The last value that listeners were told, to be the next change's old one.
        var lastTold: (data: Data?, value: any Sendable)?
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
        validity.invalidate()
    }

    /// Makes the kept value invalid and takes note of a change.
    ///
    /// - Returns: whether ``deliver()`` must be called once more than before: somebody listens, and the change was not
    ///   merged into one that waits already.
    final func take(_ change: CommittedChange) -> Bool {
        noteStored(change.newData)
        let token = validity.invalidate()
        return inbox.withLock { inbox in
            var change = change
            if let offer = inbox.offer, offer.data == change.newData {
                inbox.offer?.token = token
                change.newValue = offer.value
            }
            if inbox.listeners.isEmpty { return false }
            if inbox.events.count < Self.eventLimit {
                inbox.events.append(.change(change))
                return true
            }
            let last = inbox.events.count - 1
            if case .change(let waiting) = inbox.events[last] {
                change.oldData = waiting.oldData
                if waiting.origin == .external { change.origin = .external }
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
        case (.failure(let error, let listeners), _)?:
            for listener in listeners {
                guard case .event(let tell) = listener.body, listener.isActive.load(ordering: .acquiring) else {
                    continue
                }
                tell(.failure(error))
            }
        case nil: break
        }
    }

    private final func deliver(_ committed: CommittedChange, to listeners: [CellListener]) {
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
