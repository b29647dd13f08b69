import Synchronization

/// The text of a layer that was read last, for every store that has the layer: a store's overrides do not read its files again.
final class SharedText: Sendable {
    private struct State {
        /// The last text, and the error after it.
        var text: (any LayerText)?
        var problem: SettingsError?
        var count = 0
        var receivers: [Int: @Sendable (LayerTextReading) -> Void] = [:]
        var nextReceiver = 0

        var readings: [LayerTextReading] { (text.map { [.text($0)] } ?? []) + (problem.map { [.failed($0)] } ?? []) }
    }

    private let state = Mutex(State(), .leaf)
    private let source = Mutex<(any Sendable)?>(nil, .leaf)

    private let followed: any FollowedText

    init(_ text: any FollowedText) { followed = text }

    /// Begins to follow the text, once.
    ///
    /// - Throws: The error because of which there can be no layer.
    func begin() throws(SettingsError) {
        if source.withLock({ $0 != nil }) { return }
        let source = try followed.follow { [weak self] in self?.receive($0) }
        self.source.withLock { $0 = source }
    }

    /// The text that was read last.
    var text: (any LayerText)? { state.withLock { $0.text } }

    /// Why the text cannot be read now.
    var problem: SettingsError? { state.withLock { $0.problem } }

    private func receive(_ reading: LayerTextReading) {
        let receivers = state.withLock { state in
            switch reading {
            case .text(let text): (state.text, state.problem) = (text, nil)
            case .failed(let error): state.problem = error
            }
            state.count += 1
            return Array(state.receivers.values)
        }
        for receiver in receivers { receiver(reading) }
    }

    func follow(_ receive: @escaping @Sendable (LayerTextReading) -> Void) -> any Sendable {
        let number = state.withLock { state in
            defer { state.nextReceiver += 1 }
            state.receivers[state.nextReceiver] = receive
            return state.nextReceiver
        }
        // Again if a newer reading came meanwhile: the receiver must end on that.
        var known = -1
        while true {
            let (readings, count) = state.withLock { ($0.readings, $0.count) }
            if count == known { break }
            for reading in readings { receive(reading) }
            known = count
        }
        return Receiver(number: number, text: self)
    }

    private func remove(_ number: Int) {
        let receiver = state.withLock { $0.receivers.removeValue(forKey: number) }
        withExtendedLifetime(receiver) {}
    }

    /// Receives readings until it is released.
    private final class Receiver: Sendable {
        private let number: Int
        private let text: SharedText

        init(number: Int, text: SharedText) { (self.number, self.text) = (number, text) }

        deinit { text.remove(number) }
    }
}
