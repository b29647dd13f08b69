import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Marks of a lock's holder")
struct ReentrancyMarkTests {
    private final class Owner: Sendable {
        private let lock = Mutex(())

        func inside<R: Sendable>(_ body: () throws -> R) rethrows -> R {
            try ReentrancyMark.run(inside: lock, of: self, body)
        }
    }

    @Test("A lock's holder is inside it and inside the locks around it, until each is released")
    func nesting() {
        let (one, two) = (Owner(), Owner())
        one.inside {
            #expect(ReentrancyMark.isInside(one) && !ReentrancyMark.isInside(two))
            two.inside { #expect(ReentrancyMark.isInside(one) && ReentrancyMark.isInside(two)) }
            #expect(ReentrancyMark.isInside(one) && !ReentrancyMark.isInside(two))
        }
        #expect(!ReentrancyMark.isInside(one) && !ReentrancyMark.isInside(two))
    }

    @Test("A task that is begun inside a lock is outside of it")
    func tasks() async {
        let owner = Owner()
        let task = owner.inside { Task { ReentrancyMark.isInside(owner) } }
        #expect(await !task.value)
    }

    @Test("A chain of tasks, each begun inside a lock of the one before, keeps none of the earlier marks")
    func chain() async throws {
        let owner = Owner()
        let first = Box(WeakReference<ReentrancyMark>(nil))
        let last = owner.inside {
            first.value = WeakReference(ReentrancyMark.current)
            return Task {
                owner.inside {
                    Task {
                        // The task between, which has inherited the mark, ends at some time.
                        try await eventually { first.value.object == nil }
                    }
                }
            }
        }
        #expect(try await last.value.value)
    }
}
