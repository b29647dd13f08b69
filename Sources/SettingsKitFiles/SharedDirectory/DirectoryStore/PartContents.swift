#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The entries in an own file, as fingerprints of 64 bits.
///
/// Fingerprints differ between processes. Among a million entries, the chance that two have the same one is less than
/// one in a million.
struct PartContents: Sendable {
    private var fingerprints: Set<UInt64> = []
    /// The approximate size of the records in the file, in bytes.
    private(set) var size = 0

    init(_ records: some Collection<SharedRecord>) {
        fingerprints.reserveCapacity(records.count)
        for record in records {
            let bytes = record.entry.bytes
            fingerprints.insert(Self.fingerprint(of: record.name, bytes))
            size += Self.size(of: record.name, bytes)
        }
    }

    func contains(_ fingerprint: UInt64) -> Bool { fingerprints.contains(fingerprint) }

    /// Returns the fingerprint of an entry.
    ///
    /// - Parameters:
    ///   - name: The setting's name.
    ///   - bytes: The entry in the form of the local state.
    static func fingerprint(of name: String, _ bytes: Data) -> UInt64 {
        func hash(_ seed: Int) -> Int {
            var hasher = Hasher()
            hasher.combine(seed)
            hasher.combine(name)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            return hasher.finalize()
        }
        // On some systems, a hash has 32 bits.
        return (0..<(64 / Int.bitWidth)).reduce(0) { $0 << Int.bitWidth | UInt64(UInt(bitPattern: hash($1))) }
    }

    /// Returns the approximate size of a record in a file. The names of its members, its stamp and its check take about
    /// 100 bytes.
    static func size(of name: String, _ bytes: Data) -> Int { name.utf8.count + bytes.count + 100 }
}
