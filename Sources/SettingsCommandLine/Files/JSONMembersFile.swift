import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file with an object in JSON, which has a member for each setting.
///
/// The file may have comments, and a comma before a closing bracket, as people write them. Of repeated names the last counts. Values
/// are nested at most 512 levels deep.
package enum JSONMembersFile {
    /// Reads the members of the object in a file, each in the form in which the library writes it.
    package static func members(of file: Data) throws(SettingsFileProblem) -> [String: Data] {
        try FileBytes(file).readJSON { reader throws(JSONReader.Problem) in
            reader.scanner.skipSpace()
            guard reader.scanner.next == UInt8(ascii: "{") else {
                throw reader.problem("The file is not a JSON object")
            }
            var members: [String: Data] = [:]
            var isFirst = true
            while let name = try reader.readName(isFirst: isFirst) {
                isFirst = false
                guard let range = reader.scanner.skipValue(),
                    let json = StoredText.canonicalJSON(range, in: reader.scanner.bytes)
                else { throw reader.problem("The value is not JSON, or is nested too deeply") }
                members[name] = json
            }
            return members
        }
    }
}
