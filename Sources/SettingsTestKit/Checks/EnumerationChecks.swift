import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    /// A store's keys are exactly the stored ones.
    static let enumeration = [
        Check("keys.exact", "keys lists the stored keys, and no others.") { store in
            let before = try names(in: store)
            for name in Samples.names { try store.set(key(name), to: Data("1".utf8)) }
            try store.set(key("removed"), to: Data("1".utf8))
            try store.set(key("removed"), to: nil)
            let listed = try names(in: store).subtracting(before)
            let missing = Set(Samples.names).subtracting(listed)
            try require(missing.isEmpty, "It lacks \(missing.map(\.debugDescription)).")
            let surplus = listed.subtracting(Samples.names)
            try require(surplus.isEmpty, "It has \(surplus.map(\.debugDescription)) too.")
        },
        Check("keys.remove-all", "removeAll removes every key that was set.") { store in
            _ = try names(in: store)
            for name in Samples.names { try store.set(key(name), to: Data("1".utf8)) }
            try store.removeAll()
            for name in Samples.names {
                try require(
                    try store.get(key(name)) == nil, "\(name.debugDescription.prefix(80)) was still there.")
            }
            try store.set(key("after"), to: Data("1".utf8))
            try require(try store.get(key("after")) == Data("1".utf8), "The store did not work afterwards.")
        },
    ]

    private static func names(in store: any SettingsStore) throws -> Set<String> {
        do {
            let names = try store.keys()
            let unique = Set(names)
            try require(unique.count == names.count, "A name is listed more than once.")
            return unique
        } catch SettingsError.Code.unsupported {
            throw NotOffered(reason: "the store does not list its keys")
        }
    }
}
