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

    @Test("Many changes in a row are few writes")
    func gathered() async throws {
        try await withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem)
            for number in 0..<2_000 { try store.set(key("n"), to: Data("\(number)".utf8)) }
            #expect(
                try await eventually {
                    guard FileManager.default.fileExists(atPath: path) else { return false }
                    return try members(of: path) == ["n": .integer(1_999)]
                })
            #expect(fileSystem.calls.filter { $0 == .rename }.count < 100)
        }
    }

    @Test("A store that is dropped writes what is left, and goes")
    func dropped() async throws {
        try await withPropertyList { path in
            weak var dropped: PropertyListStore?
            do {
                let store = try open(path)
                dropped = store
                try store.set(key("a"), to: Data("1".utf8))
            }
            #expect(dropped == nil)
            // At once, unless the background is looking at the files just now.
            #expect(try await eventually { try isThere(path) && members(of: path) == ["a": .integer(1)] })
        }
    }

    @Test("A service that is dropped lets its store go")
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
            #expect(dropped == nil)
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

    @Test("An exit that cannot save says so, and neither hangs nor crashes")
    func exitWithoutSaving() async throws {
        try await withPropertyList { path in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) { [path = path as String] in
                let store = try PropertyListStore(url: URL(fileURLWithPath: path))
                let service = SettingsService(
                    stores: [.defaults: store],
                    diagnosticSink: .init { error in
                        Foundation.FileHandle.standardError.write(Data("told: \(error.code.name)\n".utf8))
                    })
                let setting = Setting<Int>("a", in: .defaults, default: 0)
                service.set(setting, to: 1)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                withExtendedLifetime(service) { Foundation.exit(0) }
            }
            let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(errors.contains("told: notSaved"))
        }
    }

    @Test("Stores that come and go from many threads lose nothing")
    func manyStores() async throws {
        try await withTemporaryDirectory { directory in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<16 {
                    group.addTask {
                        let store = try open(directory + "/\(index).plist")
                        for number in 0...20 { try store.set(key("n"), to: Data("\(number)".utf8)) }
                    }
                }
                try await group.waitForAll()
            }
            for index in 0..<16 {
                #expect(
                    try await eventually {
                        let path = directory + "/\(index).plist"
                        guard FileManager.default.fileExists(atPath: path) else { return false }
                        return try members(of: path) == ["n": .integer(20)]
                    })
            }
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
