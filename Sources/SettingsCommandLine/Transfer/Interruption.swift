import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Notices signals that ask the process to end, so that a long operation can end between two steps and say how to go on.
///
/// A signal that the process ignores already, as under `nohup`, stays ignored.
final class Interruption: Sendable {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let sources: Mutex<[any DispatchSourceSignal]>
    private let signals: [Int32]

    init() {
        var sources: [any DispatchSourceSignal] = []
        var signals: [Int32] = []
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            sigaction(number, nil, &action)
            guard !Self.isIgnoring(action) else { continue }
            signal(number, SIG_IGN)
            signals.append(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [flag] in flag.isSet.store(true, ordering: .relaxed) }
            source.resume()
            sources.append(source)
        }
        self.signals = signals
        self.sources = Mutex(sources)
    }

    private static func isIgnoring(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
            unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #else
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #endif
    }

    /// Whether a signal has come.
    var hasCome: Bool { flag.isSet.load(ordering: .relaxed) }

    /// Lets the signals end the process again.
    func end() {
        sources.withLock { sources in
            for source in sources { source.cancel() }
            sources = []
        }
        for number in signals { signal(number, SIG_DFL) }
    }
}
