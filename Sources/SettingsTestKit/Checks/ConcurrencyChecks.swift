import Foundation
import SettingsKitCore
import Synchronization

extension Check {
    private static let writerCount = 8
    private static let rounds = 50

    /// Any thread may call the store at any time.
    static let concurrency = [
        Check("threads.distinct", "Values that several threads set under different names are all stored.") { store in
            try await onThreads(writerCount) { writer in
                for round in 0..<rounds { try store.set("\(writer)/\(round)", "\(round)") }
            }
            for writer in 0..<writerCount {
                for round in 0..<rounds {
                    try require(store.has("\(writer)/\(round)", "\(round)"), "A value was lost.")
                }
            }
        },
        Check("threads.whole", "A reader sees a value that was set, never a mixture of two.") { store in
            let values = (0..<writerCount).map { Data(repeating: UInt8($0), count: 1_000) }
            try store.set(key("a"), to: values[0])
            let activeCount = Atomic(writerCount)
            // The additional thread reads until the last writer has ended, and at least once.
            try await onThreads(writerCount + 1) { [values] number in
                func read() throws {
                    let read = try store.get(key("a"))
                    try require(read.map(values.contains) ?? false, "A value was read that was never stored.")
                }
                guard number < writerCount else {
                    repeat { try read() } while activeCount.load(ordering: .acquiring) > 0
                    return
                }
                defer { activeCount.subtract(1, ordering: .releasing) }
                for _ in 0..<rounds {
                    try store.set(key("a"), to: values[number])
                    try read()
                }
            }
        },
        Check("threads.update", "Updates through a service are atomic.") { store in
            let service = store.service()
            let counter = SettingsService.Setting<Int>("counter", in: .custom(id: "conformance"), default: 0)
            try await onThreads(writerCount) { _ in
                for _ in 0..<rounds { service.update(counter) { $0 += 1 } }
            }
            let total = try service.load(counter)
            try require(total == writerCount * rounds, "\(writerCount * rounds) updates added up to \(total).")
        },
        Check("threads.order", "With several writers, listeners end on the stored value.") { store in
            let recorder = Recorder(observing: store)
            let (service, setting, last) = (recorder.service, Recorder.setting, Data("last".utf8))
            try await onThreads(writerCount) { writer in
                for round in 0..<rounds { service.set(setting, to: Data("\(writer) \(round)".utf8)) }
            }
            // The last change marks the end of all others, because another thread may still be delivering them.
            service.set(setting, to: last)
            let deadline = ContinuousClock.now + .seconds(10)
            while recorder.delivered.last?.newData != last {
                try require(ContinuousClock.now < deadline, "The listener did not receive the last change.")
                try await Task.sleep(for: .milliseconds(1))
            }
            func isChain(_ changes: [SettingsStoreChange]) -> Bool {
                zip(changes, changes.dropFirst()).allSatisfy { $0.newData == $1.oldData }
            }
            try require(
                isChain(recorder.delivered), "A delivered change does not begin with the value of the one before.")
            try require(try service.load(setting) == last, "The last delivered value is not the stored one.")
            try require(
                store.feed?.isExhaustive != true || isChain(Array(recorder.published.joined())),
                "A published change does not begin with the bytes of the one before.")
        },
    ]
}

/// Runs `body` on several threads at once, and throws an error of one of them. Not in Swift's pool: a store may block its threads, and
/// there may be only one.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) async throws {
    // On a busy machine, one thread could end before the next begins.
    let (started, all) = (DispatchGroup(), DispatchSemaphore(value: 0))
    for _ in 0..<count { started.enter() }
    started.notify(queue: .global()) { for _ in 0..<count { all.signal() } }
    try await withThrowingTaskGroup { group in
        for number in 0..<count {
            group.addTask {
                try await withCheckedThrowingContinuation { continuation in
                    // A serial queue has a thread of its own.
                    DispatchQueue(label: "SettingsTestKit \(number)").async {
                        started.leave()
                        all.wait()
                        continuation.resume(with: Result { try body(number) })
                    }
                }
            }
        }
        try await group.waitForAll()
    }
}
