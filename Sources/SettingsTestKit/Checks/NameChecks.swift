import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    /// Every name works, and names do not affect each other.
    static let names = [
        Check("names.any", "Any name works that is not empty and has no NUL.") { store in
            for name in Samples.names {
                try store.set(key(name), to: Data(name.utf8))
                try require(
                    try store.get(key(name)) == Data(name.utf8),
                    "The value under \(name.debugDescription.prefix(80)) did not come back.")
            }
            for name in Samples.names {
                try require(
                    try store.get(key(name)) == Data(name.utf8),
                    "The value under \(name.debugDescription.prefix(80)) was changed by setting another.")
            }
        },
        Check("names.independent", "Setting or removing one key does not change the others.") { store in
            let names = ["a", "b", "a.b", "a:b", "ab", "a b", "aa"]
            for name in names { try store.set(key(name), to: Data(name.utf8)) }
            try store.set(key("a"), to: Data("changed".utf8))
            try store.set(key("b"), to: nil)
            for name in names.dropFirst(2) {
                try require(try store.get(key(name)) == Data(name.utf8), "\"\(name)\" was changed by setting another.")
            }
        },
        Check("names.equivalent", "Names that are canonically equivalent are one key.") { store in
            try store.set(key("caf\u{E9}"), to: Data("composed".utf8))
            try require(
                try store.get(key("cafe\u{301}")) == Data("composed".utf8),
                "A value stored under a composed name was not found under the decomposed one.")
            try store.set(key("cafe\u{301}"), to: Data("decomposed".utf8))
            try require(
                try store.get(key("caf\u{E9}")) == Data("decomposed".utf8),
                "A value stored under a decomposed name was not found under the composed one.")
            try store.set(key("caf\u{E9}"), to: nil)
            try require(
                try store.get(key("cafe\u{301}")) == nil, "Removing the composed name left the decomposed one.")
        },
        Check("names.case", "Names that differ in case are two keys.") { store in
            try store.set(key("name"), to: Data("lower".utf8))
            try store.set(key("NAME"), to: Data("upper".utf8))
            try require(try store.get(key("name")) == Data("lower".utf8), "The upper-case name replaced the other.")
        },
    ]
}
