import Foundation
import SettingsKitCore

extension Check {
    /// A store returns the bytes that were stored.
    static let values = [
        Check("values.absent", "A key that was never set has no bytes.") { store in
            try require(store.has("absent", nil), "get returned bytes for a key that was never set.")
        },
        Check("values.exact", "Any bytes are returned exactly as stored.") { store in
            for (what, data) in Samples.data {
                try store.set(key("value"), to: data)
                let read = try store.get(key("value"))
                try require(read == data, "\(what) came back as \(read.map { "\($0.count) other bytes" } ?? "nil").")
            }
        },
        Check("values.random", "Random bytes are returned exactly as stored.") { store in
            for length in 0..<64 {
                let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max) }
                try store.set(key("value"), to: Data(bytes))
                try require(try store.get(key("value")) == Data(bytes), "The bytes \(bytes) changed.")
            }
        },
        Check("values.replaced", "A later value replaces an earlier one.") { store in
            try store.set("value", "first")
            try store.set("value", "second")
            try require(store.has("value", "second"), "get did not return the second value.")
        },
        Check("values.removed", "A removed key has no bytes, and removing it again is no error.") { store in
            try store.set("value", "1")
            try store.set("value", nil)
            try require(store.has("value", nil), "get returned bytes after the key was removed.")
            try store.set("value", nil)
            try store.set("other", nil)
            try require(store.has("other", nil), "Removing an absent key made it present.")
        },
        Check("values.empty", "Empty data is a value, not an absent one.") { store in
            try store.set("value", "")
            try require(store.has("value", ""), "Empty data did not come back as empty data.")
        },
        Check("values.unchanged", "Setting the stored bytes again changes nothing.") { store in
            try store.set("value", "1")
            try store.set("value", "1")
            try require(store.has("value", "1"), "The value was lost.")
        },
        Check("values.synchronized", "synchronize succeeds, and values survive it.") { store in
            try store.set("value", "1")
            try store.synchronize()
            try require(store.has("value", "1"), "The value was lost.")
        },
    ]
}
