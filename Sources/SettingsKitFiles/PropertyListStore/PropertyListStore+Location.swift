import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PropertyListStore: LocatingStore {
    package var isDamaged: Bool { list.isDamaged }

    /// The line of the XML file on which the value of a key begins; nil if the file is binary, is larger than 4 MiB, or does
    /// not hold these bytes under the key, because they are only in the log for example.
    package func line(of name: String, holding data: Data) -> Int? {
        do throws(SystemError) {
            guard let bytes = try searchedBytes() else { return nil }
            return Self.line(of: name, holding: data, in: bytes)
        } catch {
            // The diagnosis is made without a line. The store itself reports an unreadable file.
            return nil
        }
    }

    /// Whether the last change of a key is in the log, and not in the file yet.
    package func isOnlyInLog(_ name: String) -> Bool { list.log.withContents { $0.unprinted[name] != nil } }

    /// The value of a key as it is or will be in the file.
    package func nativeValue(of name: String) -> PropertyListValue? {
        list.log.withContents { $0.value(named: name) }
    }

    private func searchedBytes() throws(SystemError) -> Data? {
        // Opening a pipe would wait for its writer.
        guard try list.fileSystem.status(of: list.path, followingLink: true)?.kind == .file else { return nil }
        let file = try list.fileSystem.openForReading(list.path)
        defer { list.fileSystem.close(file) }
        let status = try list.fileSystem.status(of: file)
        guard status.kind == .file, status.size <= PropertyListLimits.searchedFileSize else { return nil }
        return Data(try list.fileSystem.read(Int(clamping: status.size), of: file, at: 0))
    }

    private static func line(of name: String, holding data: Data, in file: Data) -> Int? {
        do throws(PropertyListError) {
            let text = try XMLDocumentText(file)
            var parser = XMLPropertyListParser(text)
            guard let offset = try parser.offsetOfValue(named: name, holding: data) else { return nil }
            return 1 + text.bytes[..<offset].count { $0 == UInt8(ascii: "\n") }
        } catch {
            // A binary file, or one that is being edited.
            return nil
        }
    }
}

extension XMLPropertyListParser {
    /// Where the value of a key of the outermost dictionary begins, if it stands for these bytes. Of repeated keys the last
    /// one counts.
    fileprivate mutating func offsetOfValue(named name: String, holding data: Data) throws(PropertyListError) -> Int? {
        try skipToRoot()
        let tag = try readTag()
        guard tag.element == .dict, tag.form == .opening else { return nil }
        var found: Int?
        while let key = try readKey() {
            let tag = try readTag()
            let value = try parseValue(tag, depth: 1)
            if key == name { found = NativeValue.bytes(of: value) == data ? tag.offset : nil }
        }
        return found
    }
}
