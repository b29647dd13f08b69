import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("Pending changes of a property list")
struct PendingChangeTests {
    @Test("A pending value that another process has written meanwhile survives a rewriting of the journal")
    func equal() throws {
        try withPropertyList { path in
            let system = POSIXFileSystem()
            let (store, other) = (
                try PropertyListStore(
                    path: path, fileSystem: system, writingDelay: .seconds(86_400), patience: .milliseconds(20)),
                try PropertyListStore(path: path, fileSystem: system, writingDelay: .seconds(86_400))
            )
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            try other.set(key("b"), to: Data("1".utf8))
            #expect(try other.list.files.withLock { try $0.lock.acquireOpen(in: system) })
            try store.set(key("a"), to: Data("2".utf8))
            #expect(!store.list.pending.isEmpty)
            // This has the lock already, and releases it.
            try other.set(key("a"), to: Data("2".utf8))
            try store.list.storePending(waiting: .seconds(10))
            #expect(store.list.pending.isEmpty)
            try store.list.files.updateLocked(waiting: .zero) { try $0.replaceSupersededJournal() }
            let third = try PropertyListStore(path: path, fileSystem: system)
            #expect(third.get(key("a")) == Data("2".utf8))
        }
    }

    @Test("A change that waits for the lock follows what has become pending meanwhile")
    func dependent() throws {
        try withPropertyList { path in
            let system = POSIXFileSystem()
            let store = try PropertyListStore(
                path: path, fileSystem: system, writingDelay: .seconds(86_400), patience: .seconds(20))
            let other = try PropertyListStore(path: path, fileSystem: system, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("1".utf8))
            try other.set(key("c"), to: Data("1".utf8))
            #expect(try other.list.files.withLock { try $0.lock.acquireOpen(in: system) })
            let holds = Box(true)
            inParallel(2) { thread in
                do {
                    if thread == 0 {
                        let batch = SettingsStoreBatch(
                            writes: [.init(key: key("b"), data: Data("2".utf8))],
                            expectations: [.init(key: key("a"), data: Data("1".utf8))])
                        holds.value = try store.apply(batch)
                    } else {
                        // Pending after half a second, in which the other thread has begun to wait for the lock.
                        try store.set(key("a"), to: nil)
                        #expect(store.get(key("b")) == nil)
                        // This has the lock already, and releases it.
                        try other.set(key("c"), to: Data("2".utf8))
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(!holds.value && store.get(key("b")) == nil && store.get(key("a")) == nil)
        }
    }
}
