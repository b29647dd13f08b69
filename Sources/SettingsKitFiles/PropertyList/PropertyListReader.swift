#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads property lists in the two formats of Apple's platforms: XML and binary (`bplist00`).
///
/// The formats are those of the document type `PropertyList-1.0.dtd` and of `CFBinaryPList.c` in Apple's open-source
/// CoreFoundation. Files are treated as hostile: reading any bytes ends with a value or an error, in time linear in the
/// size of the file, and with memory bounded by a constant factor of it. The old OpenStep text format is not supported.
package enum PropertyListReader {
    /// Reads the value of a property list in either format.
    ///
    /// Keys escaped by ``PropertyListKey`` are decoded, at every level and in both formats. Of repeated keys, the last
    /// one counts.
    ///
    /// Reads what `PropertyListSerialization` of Foundation reads as a dictionary that is not empty, with few exceptions: NUL
    /// bytes in XML, which a file system leaves in place of a lost part of the file; keys after the end, which the next write
    /// would lose; text that is not ASCII in an encoding that ``XMLDocumentText`` does not support; years of more than nine
    /// digits; whole numbers of more than 64 bits; null, and keys that are not strings, in binary files; and anything beyond the
    /// ``PropertyListLimits``. Entities other than the five of XML are refused, never expanded.
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

    /// Reads the members of a property list's dictionary.
    ///
    /// Throws the errors of ``read(_:)``, and `rootIsNotADictionary` if the outermost value is of another kind.
    package static func readDictionary(_ data: Data) throws(PropertyListError) -> [PropertyListMember] {
        guard case .dictionary(let members) = try read(data) else { throw PropertyListError(.rootIsNotADictionary) }
        return members
    }

    /// The format of a file, determined by its first bytes.
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
            data.count >= 8 && data.starts(with: "bplist0".utf8)
        }
    }
}
