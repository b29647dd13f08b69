import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

@Suite("Changes reach the file without a request")
struct BackgroundWritingTests {
    @Test("A change is in a small file after a quiet second or two")
    func soon() async throws {
        try await withPropertyList { path in
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            #expect(try await eventually { FileManager.default.fileExists(atPath: path) })
            #expect(try members(of: path) == ["a": .integer(1)])
            try store.set(key("a"), to: Data("2".utf8))
            #expect(try await eventually { try members(of: path) == ["a": .integer(2)] })
        }
    }

    @Test("A service that is dropped lets its store go, which writes what is left")
    func droppedService() async throws {
        try await withPropertyList { path in
            weak var dropped: PropertyListStore?
            do {
                let store = try open(path)
                dropped = store
                let setting = Setting<Int>("a", in: .defaults, default: 0)
                let (service, _) = SettingsService.over(store)
                let subscription = service.observe(setting) { _ in }
                service.set(setting, to: 7)
                subscription.cancel()
            }
            // The background may hold it for a moment.
            #expect(try await eventually { dropped == nil })
            #expect(try await eventually { try isThere(path) && members(of: path) == ["a": .integer(7)] })
        }
    }

    @Test("An orderly exit writes the changes of a store that is still held")
    func exit() async throws {
        try await withPropertyList { path in
            await #expect(processExitsWith: .success) { [path = path as String] in
                let store = try PropertyListStore(url: URL(fileURLWithPath: path))
                try store.set(.init("a", scope: .defaults), to: Data("1".utf8))
                withExtendedLifetime(store) { Foundation.exit(0) }
            }
            let found = try members(of: path)
            #expect(found == ["a": .integer(1)])
        }
    }

    @Test("Setting, reading and synchronizing from many threads at once ends with the last values in the file")
    func concurrency() async throws {
        try await withPropertyList { path in
            let store = try open(path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for number in 1...200 {
                            try store.set(key("k\(writer)"), to: Data("\(number)".utf8))
                            if number % 40 == 0 { try store.bringUpToDate() }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try store.bringUpToDate()
            let expected = Dictionary(uniqueKeysWithValues: (0..<6).map { ("k\($0)", PropertyListValue.integer(200)) })
            #expect(try members(of: path) == expected)
        }
    }
}
