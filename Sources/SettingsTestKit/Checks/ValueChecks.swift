import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    /// A store returns the bytes that were stored.
    static let values = [
        Check("A key that was never set has no bytes.") { store in
            try require(try store.get(key("absent")) == nil, "get answered bytes for a key that was never set.")
        },
        Check("Any bytes are returned exactly as stored.") { store in
            for (what, data) in Samples.data {
                try store.set(key("value"), to: data)
                let read = try store.get(key("value"))
                try require(read == data, "\(what) came back as \(read.map { "\($0.count) other bytes" } ?? "nil").")
            }
        },
        Check("Random bytes are returned exactly as stored.") { store in
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            for length in 0..<64 {
                let data = Data((0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
                try store.set(key("value"), to: data)
                try require(try store.get(key("value")) == data, "\(length) random bytes changed, with seed \(seed).")
            }
        },
        Check("A later value replaces an earlier one.") { store in
            try store.set(key("value"), to: Data("first".utf8))
            try store.set(key("value"), to: Data("second".utf8))
            try require(try store.get(key("value")) == Data("second".utf8), "get did not answer the second value.")
        },
        Check("A removed key has no bytes, and removing it again is no error.") { store in
            try store.set(key("value"), to: Data("1".utf8))
            try store.set(key("value"), to: nil)
            try require(try store.get(key("value")) == nil, "get answered bytes after the key was removed.")
            try store.set(key("value"), to: nil)
            try store.set(key("other"), to: nil)
            try require(try store.get(key("other")) == nil, "Removing an absent key made it present.")
        },
        Check("Empty data is a value, not an absent one.") { store in
            try store.set(key("value"), to: Data())
            try require(try store.get(key("value")) == Data(), "Empty data did not come back as empty data.")
        },
        Check("Setting the stored bytes again changes nothing.") { store in
            try store.set(key("value"), to: Data("1".utf8))
            try store.set(key("value"), to: Data("1".utf8))
            try require(try store.get(key("value")) == Data("1".utf8), "The value was lost.")
        },
        Check("synchronize succeeds, and values survive it.") { store in
            try store.set(key("value"), to: Data("1".utf8))
            try store.synchronize()
            try require(try store.get(key("value")) == Data("1".utf8), "The value was lost.")
        },
    ]

    /// Synchronised values are there when the medium is opened again.
    static func durability(_ reopen: @escaping StoreConformance.Reopen) -> [Check] {
        [
            Check("Synchronised values are there when the store is opened again.") { store in
                for (number, sample) in Samples.data.enumerated() {
                    try store.set(key("value \(number)"), to: sample.1)
                }
                for name in Samples.names { try store.set(key(name), to: Data(name.utf8)) }
                try store.set(key("removed"), to: Data("1".utf8))
                try store.synchronize()
                try store.set(key("removed"), to: nil)
                try store.synchronize()
                let second = try reopen(store)
                for (number, sample) in Samples.data.enumerated() {
                    try require(
                        try second.get(key("value \(number)")) == sample.1, "\(sample.0) was lost or changed.")
                }
                for name in Samples.names {
                    try require(
                        try second.get(key(name)) == Data(name.utf8),
                        "The value under \(name.debugDescription.prefix(80)) was lost or changed.")
                }
                try require(try second.get(key("removed")) == nil, "A removed key was there again.")
            }
        ]
    }
}
