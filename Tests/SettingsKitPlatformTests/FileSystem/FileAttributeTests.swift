import Foundation
import Testing

@testable import SettingsKitPlatform

@Suite("Attributes of a file that is replaced")
struct FileAttributeTests {
    private static let attributes: [FileAttribute] = [
        .extended(name: "user.comment", value: [UInt8]("kept".utf8)), .extended(name: "user.empty", value: []),
        .extended(name: "user.bytes", value: [0, 0xFF, 0]), .extended(name: "user.caf\u{E9}", value: [1]),
    ]

    /// The temporary directory's file system may have no attributes.
    private static let areSupported: Bool = {
        let found = try? withTemporaryDirectory { directory in
            let file = try POSIXFileSystem().create(directory + "/f")
            defer { POSIXFileSystem().close(file) }
            return POSIXFileSystem().setAttribute(attributes[0], of: file)
        }
        return found ?? false
    }()

    private func set(_ attributes: [FileAttribute], at path: String) throws {
        let file = try POSIXFileSystem().openForAppending(path)
        defer { POSIXFileSystem().close(file) }
        for attribute in attributes { #expect(POSIXFileSystem().setAttribute(attribute, of: file)) }
    }

    private func isSame(_ some: [FileAttribute], _ others: [FileAttribute]) -> Bool {
        some.count == others.count && some.allSatisfy(others.contains)
    }

    @Test("The new file has the extended attributes of the old one", .enabled(if: areSupported), arguments: 0...4)
    func carried(count: Int) throws {
        try withTemporaryDirectory { directory in
            let (path, attributes) = (directory + "/f", Array(Self.attributes.prefix(count)))
            let file = WholeFile(path: path, fileSystem: POSIXFileSystem())
            try file.replace(with: Data("old".utf8))
            try set(attributes, at: path)
            for text in ["new", "newer"] {
                try file.replace(with: Data(text.utf8))
                #expect(try file.read(limit: 10)?.bytes == Data(text.utf8))
                #expect(isSame(POSIXFileSystem().attributes(of: path), attributes))
            }
        }
    }

    @Test("A file behind a symbolic link keeps its attributes", .enabled(if: areSupported))
    func link() throws {
        try withTemporaryDirectory { directory in
            let (target, link) = (directory + "/target", directory + "/link")
            try WholeFile(path: target, fileSystem: POSIXFileSystem()).replace(with: Data("old".utf8))
            try set(Self.attributes, at: target)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
            try WholeFile(path: link, fileSystem: POSIXFileSystem()).replace(with: Data("new".utf8))
            #expect(isSame(POSIXFileSystem().attributes(of: target), Self.attributes))
        }
    }

    @Test("A new file, and what cannot be read, has no attributes")
    func none() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/f"
            #expect(POSIXFileSystem().attributes(of: path) == [])
            try WholeFile(path: path, fileSystem: POSIXFileSystem()).replace(with: Data())
            #expect(POSIXFileSystem().attributes(of: path) == [])
            #expect(POSIXFileSystem().attributes(of: path + "/f") == [])
        }
    }

    @Test("An attribute that cannot be kept does not keep the file from being replaced", .enabled(if: areSupported))
    func unsupported() throws {
        try withTemporaryDirectory { directory in
            let (path, fileSystem) = (directory + "/f", FaultyFileSystem())
            let file = WholeFile(path: path, fileSystem: fileSystem)
            try file.replace(with: Data("old".utf8))
            try set(Self.attributes, at: path)
            fileSystem.keepsAttributes.value = false
            try file.replace(with: Data("new".utf8))
            #expect(try file.read(limit: 10)?.bytes == Data("new".utf8))
            #expect(POSIXFileSystem().attributes(of: path) == [])
        }
    }

    @Test("The system's list of names is taken apart, and names that are not UTF-8 are left out")
    func list() {
        #expect(FileAttribute.names(in: []) == [])
        #expect(FileAttribute.names(in: Array("user.a\0user.b\0".utf8)) == ["user.a", "user.b"])
        #expect(FileAttribute.names(in: [0xFF, 0xFE, 0] + Array("user.a".utf8)) == ["user.a"])
    }
}
