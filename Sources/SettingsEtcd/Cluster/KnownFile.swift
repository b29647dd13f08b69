import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file of the last known values, with which a program starts that cannot reach the cluster. Always replaced as a whole.
struct KnownFile: Sendable {
    struct Contents: Codable {
        static let format = 1

        var format = Self.format
        var prefix: String
        /// The addresses at which the cluster was reached.
        var addresses: [String]
        var values: [String: Data]
    }

    let path: String
    private let file: WholeFile
    private let prefix: String
    private let addresses: [String]

    /// - Parameter folder: Created when the file is first written.
    init(folder: String, prefix: String, addresses: [String]) {
        // 64-bit FNV-1a. Another prefix with the same hash is found in the file.
        let hash = prefix.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        path = WholeFile.join(folder, "etcd-\(String(hash, radix: 16)).json")
        file = WholeFile(path: path, fileSystem: POSIXFileSystem())
        (self.prefix, self.addresses) = (prefix, addresses)
    }

    /// The values in the file; none if there is no file.
    ///
    /// - Throws: If the file cannot be read, is damaged, or belongs to another prefix or other addresses.
    func read() throws(SettingsError) -> [String: Data] {
        do {
            guard let bytes = try file.read(limit: EtcdLimits.knownFile)?.bytes else { return [:] }
            let contents = try JSONDecoder().decode(Contents.self, from: bytes)
            guard contents.format == Contents.format, contents.prefix == prefix,
                !Set(addresses).isDisjoint(with: contents.addresses),
                contents.values.keys.allSatisfy(SettingsService.StorageKey.isValid)
            else { throw ForeignFile() }
            return contents.values
        } catch {
            throw SettingsError(.knownValuesUnusable, store: path, underlying: error as? SystemError ?? ForeignFile())
        }
    }

    func write(_ values: [String: Data]) throws(SettingsError) {
        do {
            try file.createDirectory()
            try file.replace(
                with: JSONEncoder().encode(Contents(prefix: prefix, addresses: addresses, values: values)))
        } catch {
            throw SettingsError.wrap(error, as: .notSaved, store: path)
        }
    }
}

/// The file is damaged, or belongs to another cluster, prefix or program.
private struct ForeignFile: ValueFreeError {
    var description: String { "It is damaged, or was written for another prefix or other addresses." }
}
