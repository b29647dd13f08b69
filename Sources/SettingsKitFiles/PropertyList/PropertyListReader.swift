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
    /// Reads every well-formed file within the ``PropertyListLimits`` whose values have the forms of the document type.
    /// `PropertyListSerialization` of Foundation repairs some others, such as text after the end, which are refused here.
    /// Entities other than the five of XML are refused, never expanded.
    package static func read(_ data: Data) throws(PropertyListError) -> PropertyListValue {
        if data.starts(with: "bplist".utf8) {
            guard data.count >= 8 else { throw PropertyListError(.truncated, at: data.count) }
            guard data.starts(with: "bplist0".utf8) else { throw PropertyListError(.unsupportedVersion, at: 6) }
            var parser = try BinaryPropertyListParser(Array(data))
            return try parser.parseDocument()
        }
        let text = try XMLDocumentText(data)
        var parser = XMLPropertyListParser(text)
        do throws(PropertyListError) {
            return try parser.parseDocument()
        } catch {
            throw error.located(in: text)
        }
    }

    /// Reads the members of a property list's dictionary.
    ///
    /// Throws the errors of ``read(_:)``, and `rootIsNotADictionary` if the outermost value is of another kind.
    package static func readDictionary(_ data: Data) throws(PropertyListError) -> [PropertyListMember] {
        guard case .dictionary(let members) = try read(data) else { throw PropertyListError(.rootIsNotADictionary) }
        return members
    }
}
