#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads property lists in the two formats of Apple's platforms: XML and binary (`bplist00`).
///
/// The formats are those of the document type `PropertyList-1.0.dtd` and of `CFBinaryPList.c` in Apple's open-source
/// CoreFoundation. Files are treated as hostile: whatever the bytes, reading ends with a value or an error, in time
/// linear in the size of the file, and with memory bounded by a constant factor of it. The old OpenStep text format
/// is not read.
package enum PropertyListReader {
    /// The value that the property list in `data` holds, whichever of the formats it is in.
    ///
    /// Keys escaped as ``PropertyListKey`` describes are given decoded, at every level and from both formats. Of
    /// repeated keys the last one wins.
    ///
    /// Where XML leaves room, the reading is lenient: attributes are ignored, a document may do without its `plist`
    /// element, control characters other than NUL are taken as they are in text, since Apple's writer emits them, and
    /// `]]>` may stand in text. Entities other than the five of XML itself are refused, never expanded.
    package static func read(_ data: Data) throws(PropertyListError) -> PropertyListValue {
        switch try Format(of: data) {
        case .binary:
            var parser = try BinaryPropertyListParser(BinaryPropertyListLayout(Array(data)))
            return try parser.parseDocument()
        case .xml:
            let text = try XMLDocumentText(data)
            var parser = XMLPropertyListParser(text)
            do throws(PropertyListError) {
                return try parser.parseDocument()
            } catch {
                throw error.located(in: text)
            }
        }
    }

    /// The members of the dictionary that the property list in `data` holds.
    ///
    /// Throws what ``read(_:)`` does, and `rootIsNotADictionary` where the outermost value is of another kind.
    package static func readDictionary(_ data: Data) throws(PropertyListError) -> [PropertyListMember] {
        guard case .dictionary(let members) = try read(data) else { throw PropertyListError(.rootIsNotADictionary) }
        return members
    }

    /// What can be saved of the outermost dictionary of a damaged property list: the members that are intact, in the
    /// order of the file.
    ///
    /// An intact file gives all of its members. A file whose outermost value is not a dictionary, or nothing of which
    /// can be read, gives none. ``XMLPropertyListRecovery`` describes how pairs are found in damaged XML, before and behind
    /// the damage; a pair that may be wrong is left out. Of a binary file, every pair whose key and value can be resolved
    /// is given, provided the trailer is intact.
    ///
    /// The time is linear in the size of the file. Damage that leaves the structure intact, such as a changed letter
    /// in a string, cannot be noticed.
    package static func recover(_ data: Data) -> [PropertyListMember] {
        do throws(PropertyListError) {
            return try readDictionary(data)
        } catch {
            return error.kind == .rootIsNotADictionary ? [] : salvage(data)
        }
    }

    /// Finds the line, from 1, on which a key of the outermost dictionary of an XML property list stands.
    ///
    /// Where the key is repeated, the line is that of the last one, whose value counts. The file may be damaged. The time is
    /// linear in its size.
    ///
    /// - Returns: `nil` for a binary file, and where there is no such key.
    package static func line(ofKey key: String, in data: Data) -> Int? {
        guard !Format.isBinary(data) else { return nil }
        do throws(PropertyListError) {
            let text = try XMLDocumentText(data)
            return XMLPropertyListRecovery.offset(ofKey: key, in: text).map {
                TextPosition(of: $0, in: text.bytes, from: text.start).line
            }
        } catch {
            return nil
        }
    }

    private static func salvage(_ data: Data) -> [PropertyListMember] {
        do throws(PropertyListError) {
            if Format.isBinary(data) {
                var parser = try BinaryPropertyListParser(BinaryPropertyListLayout(Array(data)))
                return parser.recoverMembers()
            }
            return XMLPropertyListRecovery.members(in: try XMLDocumentText(data))
        } catch {
            return []
        }
    }

    /// The format a file is in, told from its first bytes.
    private enum Format {
        case xml
        case binary

        init(of data: Data) throws(PropertyListError) {
            guard !data.isEmpty else { throw PropertyListError(.empty) }
            if Self.isBinary(data) {
                self = .binary
            } else if data.starts(with: "bplist".utf8) {
                throw PropertyListError(data.count < 8 ? .truncated : .unsupportedEncoding, at: min(data.count, 6))
            } else {
                self = .xml
            }
        }

        static func isBinary(_ data: Data) -> Bool {
            data.starts(with: "bplist00".utf8)
        }
    }
}
