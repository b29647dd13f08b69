import Foundation
import SettingsKit

/// A setting that two stores, or a store and a file, hold differently.
struct StoredDifference: Equatable, Sendable {
    let name: String
    /// The bytes before, or in the first store; nil for none.
    let old: Data?
    /// The bytes after, or in the second store; nil for none.
    let new: Data?

    /// The differences between two sets of settings, sorted by name. Linear time, but for the sorting.
    ///
    /// - Parameter isMerging: Whether settings that only the old set has are no difference.
    static func list(from old: [String: Data], to new: [String: Data], isMerging: Bool = false) -> [StoredDifference] {
        var list = new.compactMap { name, data in
            old[name] == data ? nil : StoredDifference(name: name, old: old[name], new: data)
        }
        if !isMerging {
            list += old.compactMap { name, data in
                new[name] == nil ? StoredDifference(name: name, old: data, new: nil) : nil
            }
        }
        return list.sorted { $0.name < $1.name }
    }

    /// The write that makes the difference.
    var write: SettingsStoreBatch.Entry { .init(key: OpenedStore.key(name), data: new) }

    // MARK: Output

    /// One line for a terminal: what was and what is.
    ///
    /// - Parameter columns: The width of the line.
    func line(columns: Int, showsValues: Bool = true) -> String {
        let sign = old == nil ? "+" : new == nil ? "-" : "~"
        let name = TextLayout.escaped(name)
        guard showsValues else { return "\(sign) \(name)" }
        let room = max(columns - TextLayout.columns(name) - 4, 20)
        func shown(_ data: Data, _ room: Int) -> String { UntypedValue(data).summary(columns: room) }
        return switch (old, new) {
        case (let old?, let new?): "\(sign) \(name): \(shown(old, room / 2 - 2)) → \(shown(new, room / 2 - 2))"
        case (let data?, nil), (nil, let data?): "\(sign) \(name): \(shown(data, room))"
        case (nil, nil): "\(sign) \(name)"
        }
    }

    /// An object with the name, the kind of the change, and both values.
    func json(showsValues: Bool = true) -> JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("name", .string(name)), ("change", .string(old == nil ? "added" : new == nil ? "removed" : "changed")),
        ]
        if showsValues {
            if let old { members.append(("old", UntypedValue(old).jsonText)) }
            if let new { members.append(("new", UntypedValue(new).jsonText)) }
        }
        return .object(members)
    }
}

extension Array where Element == StoredDifference {
    /// Prints the differences: a line for each, or an array in JSON.
    func print(_ streams: CommandStreams, asJSON: Bool, showsValues: Bool = true) throws {
        if asJSON {
            return try streams.print(JSONText.array(map { $0.json(showsValues: showsValues) }).indented + "\n")
        }
        var text = ""
        for difference in self {
            text += difference.line(columns: streams.width, showsValues: showsValues) + "\n"
            if text.utf8.count > 65_536 {
                try streams.print(text)
                text = ""
            }
        }
        if !text.isEmpty { try streams.print(text) }
    }
}
