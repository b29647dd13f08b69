import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("A symbolic link stays a link")
struct SymbolicLinkTests {
    /// How the link at `Settings.plist` leads to `real/Target.plist`.
    enum Link: CaseIterable, Sendable {
        case relative, absolute, chain, throughDirectory

        func make(in directory: String) throws {
            let manager = FileManager.default
            let path = directory + "/Settings.plist"
            switch self {
            case .relative: try manager.createSymbolicLink(atPath: path, withDestinationPath: "real/Target.plist")
            case .absolute:
                try manager.createSymbolicLink(atPath: path, withDestinationPath: directory + "/real/Target.plist")
            case .chain:
                try manager.createDirectory(atPath: directory + "/links", withIntermediateDirectories: true)
                try manager.createSymbolicLink(atPath: path, withDestinationPath: "links/second")
                // Relative to the directory of the second link, not of the first.
                try manager.createSymbolicLink(
                    atPath: directory + "/links/second", withDestinationPath: "../real/Target.plist")
            case .throughDirectory:
                try manager.createSymbolicLink(atPath: directory + "/alias", withDestinationPath: "real")
                try manager.createSymbolicLink(atPath: path, withDestinationPath: "alias/Target.plist")
            }
        }
    }

    @Test("The target is read and replaced, the link stays", arguments: Link.allCases)
    func target(link: Link) throws {
        try withTemporaryDirectory { directory in
            let (path, target) = (directory + "/Settings.plist", directory + "/real/Target.plist")
            try FileManager.default.createDirectory(atPath: directory + "/real", withIntermediateDirectories: true)
            try write(xml("<key>a</key><integer>1</integer>"), to: target)
            try link.make(in: directory)
            let store = try open(path)
            #expect(store.get(key("a")) == Data("1".utf8))
            try store.set(key("b"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try isLink(path))
            #expect(try !isLink(target))
            #expect(try members(of: target) == ["a": .integer(1), "b": .integer(2)])
            #expect(try names(in: directory + "/real") == ["Target.plist"])
        }
    }

    @Test("A link to what is not there yet stays, and its target is made", arguments: Link.allCases)
    func dangling(link: Link) throws {
        try withTemporaryDirectory { directory in
            let (path, target) = (directory + "/Settings.plist", directory + "/real/Target.plist")
            if link == .throughDirectory {
                try FileManager.default.createDirectory(atPath: directory + "/real", withIntermediateDirectories: true)
            }
            try link.make(in: directory)
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(try isLink(path))
            #expect(try members(of: target) == ["a": .integer(1)])
        }
    }

    @Test("A damaged target is kept aside in its own directory")
    func damagedTarget() throws {
        try withTemporaryDirectory { directory in
            let (path, target) = (directory + "/Settings.plist", directory + "/real/Target.plist")
            try FileManager.default.createDirectory(atPath: directory + "/real", withIntermediateDirectories: true)
            try write("no property list", to: target)
            try Link.relative.make(in: directory)
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(try isLink(path))
            let aside = try #require(try names(in: directory + "/real").first { $0.contains(".damaged-") })
            #expect(try bytes(of: directory + "/real/" + aside) == Data("no property list".utf8))
        }
    }

    @Test("Links that lead in a circle make the store unavailable")
    func circle() throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createSymbolicLink(atPath: directory + "/a", withDestinationPath: "b")
            try FileManager.default.createSymbolicLink(atPath: directory + "/b", withDestinationPath: "a")
            let error = #expect(throws: SettingsError.self) { try open(directory + "/a") }
            #expect(error?.code == .storeUnavailable)
        }
    }
}
