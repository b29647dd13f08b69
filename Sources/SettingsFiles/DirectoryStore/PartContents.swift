#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which entries an own file has: a fingerprint of 64 bits for each.
///
/// Fingerprints differ from process to process. That two entries of a million have the same one is less likely than one
/// in a million.
struct PartContents: Sendable {
    private var fingerprints: Set<UInt64> = []
    /// How many bytes the records take in the file, roughly.
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

    /// - Parameter bytes: The entry in the form of the local state.
    static func fingerprint(of name: String, _ bytes: Data) -> UInt64 {
        func hash(_ seed: Int) -> Int {
            var hasher = Hasher()
            hasher.combine(seed)
            hasher.combine(name)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            return hasher.finalize()
        }
        // A hash has 32 bits on some systems.
        return (0..<(64 / Int.bitWidth)).reduce(0) { $0 << Int.bitWidth | UInt64(UInt(bitPattern: hash($1))) }
    }

    /// How many bytes a record takes in a file, roughly: the names of its members, its stamp, and its check take a hundred.
    static func size(of name: String, _ bytes: Data) -> Int { name.utf8.count + bytes.count + 100 }
}
