import Foundation
import SettingsKit

/// Settings as the dictionary of a property list, in the form in which a property-list store has them.
///
/// Bytes are a native value if exactly the same bytes can be restored from it, and data otherwise. Dates and data inside
/// collections of other programs' files are taken over as their JSON. The reader is the bounded one of the stores.
enum PropertyListTransfer {
    /// - Throws: an error of the codec if a name contains NUL.
    static func text(of settings: [String: Data]) throws(PropertyListError) -> String {
        let members = settings.sorted { $0.key < $1.key }
            .map { PropertyListMember(key: $0.key, value: NativeValue.value(for: $0.value)) }
        return String(decoding: try XMLPropertyListWriter.write(members, comment: nil), as: UTF8.self)
    }

    static func read(_ file: Data) throws(TransferProblem) -> TransferredSettings {
        var settings = TransferredSettings()
        do throws(PropertyListError) {
            for member in try PropertyListReader.readDictionary(file) {
                settings.take(member.key, NativeValue.bytes(of: member.value))
            }
        } catch {
            throw TransferProblem(message: error.description)
        }
        return settings
    }
}
