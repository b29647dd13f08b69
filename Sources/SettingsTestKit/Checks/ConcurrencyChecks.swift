import Foundation
import SettingsKitCore
import Synchronization

extension Check {
    private static let writerCount = 8
    private static let rounds = 50

    /// Any thread may call the store at any time.
    static let concurrency = [
        Check(
            "threads.distinct", "Values that several threads set under different names are all stored."
        ) { store in
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
            let counter = SettingsService.Setting<Int>(
                "counter", in: .custom(id: "conformance"), default: 0)
            try await onThreads(writerCount) { _ in
                for _ in 0..<rounds { service.update(counter) { $0 += 1 } }
            }
            let total = try service.load(counter)
            try require(
                total == writerCount * rounds, "\(writerCount * rounds) updates added up to \(total).")
        },
        Check("threads.order", "With several writers, listeners end on the stored value.") { store in
            let service = store.service()
            let setting = SettingsService.Setting<Int>("a", in: .custom(id: "conformance"), default: -1)
            let received = Mutex<[SettingsService.Change<Int>]>([], .leaf)
            let subscription = service.observe(setting) { change in
                received.withLock { $0.append(change) }
            }
            let published = Mutex<[SettingsStoreChange]>([], .leaf)
            let feedSubscription = store.feed?.observe { changes, _ in
                published.withLock { $0 += changes.filter { $0.name == "a" } }
            }
            defer {
                subscription.cancel()
                feedSubscription?.cancel()
            }
            try await onThreads(writerCount) { writer in
                for round in 0..<rounds { service.set(setting, to: writer * rounds + round) }
            }
            // The last change marks the end of all others, because another thread may still be delivering them.
            service.set(setting, to: -2)
            let deadline = ContinuousClock.now + .seconds(10)
            while received.withLock({ $0.last?.newValue }) != -2 {
                try require(ContinuousClock.now < deadline, "The listener did not receive the last change.")
                try await Task.sleep(for: .milliseconds(1))
            }
            var before = -1
            for change in received.withLock({ $0 }) {
                try require(
                    change.oldValue == before, "A change from \(change.oldValue) followed one to \(before).")
                before = change.newValue
            }
            try require(
                try service.load(setting) == -2, "The last delivered value is not the stored one.")
            let changes = store.feed?.isExhaustive == true ? published.withLock { $0 } : []
            try require(
                zip(changes, changes.dropFirst()).allSatisfy { $0.newData == $1.oldData },
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
