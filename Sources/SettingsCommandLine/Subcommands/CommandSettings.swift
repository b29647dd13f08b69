import SettingsKit
import SettingsKitTerminal

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings that subcommands show and change: those of a catalogue, or all that a store holds.
///
/// Each subcommand is written once, over this protocol.
package protocol CommandSettings: BrowsedSettings {
    associatedtype Change: SettingChange

    /// Whether values may be missing because a store is damaged.
    var isDamaged: Bool { get }

    /// Prints all settings.
    func list(asJSON: Bool, _ streams: CommandStreams) throws

    /// Returns the value in force.
    ///
    /// - Throws: A failure if there is no such setting, or no value.
    func value(named name: String, showsSecrets: Bool) throws -> ShownValue

    /// Returns the origin of a value.
    ///
    /// - Throws: A failure if there is no such setting, or no value.
    func explanation(of name: String) throws -> Explanation

    /// Calls a closure after each change, on any thread.
    ///
    /// - Parameter names: The settings to observe; all if it is empty.
    func observe(
        _ names: [String], _ streams: CommandStreams, _ body: @escaping @Sendable (ObservedChange) -> Void
    ) throws -> [SettingsService.Subscription]

    /// Returns the removals of stored values.
    ///
    /// - Parameter names: The settings; nil for all.
    /// - Throws: A failure if one of the settings cannot be removed.
    func removals(of names: [String]?) throws -> [Change]

    /// Removes what a store holds beside its settings, after all of them were removed.
    func removeRest() throws

    /// The number of changes that are stored together at most; nil to store all together, where the store can.
    var batchSize: Int? { get }

    /// Stores some changes together: all of them, or none.
    func store(_ batch: ArraySlice<Change>) throws

    /// Prints changes to settings.
    func show(_ changes: [Change], asJSON: Bool, _ streams: CommandStreams) throws
}

/// A change to one setting.
package protocol SettingChange {
    /// Whether it removes the stored value.
    var isRemoval: Bool { get }
}

/// What a subcommand does with settings.
package enum SettingsUse: Sendable {
    /// Reads. Nothing is written, locked or created.
    case reading
    /// Reads as ``reading`` does. A missing store counts as an empty one.
    case readingIfPresent
    /// Reads and writes existing data. A missing store is a failure.
    case changing
    /// Reads and writes. Creates what is missing, as the store does.
    case writing
}

/// A value for people and for programs.
package struct ShownValue: Sendable {
    /// The text, unescaped; nil if the value has none.
    package var text: String?
    package var json: JSONText
    /// The reason why the stored value is not in force.
    package var problem: String?

    package init(text: String?, json: JSONText, problem: String? = nil) {
        self.text = text
        self.json = json
        self.problem = problem
    }
}

/// A change that `watch` prints.
package struct ObservedChange: Sendable {
    package struct Content: Sendable {
        /// The text of the new value, escaped; nil for none.
        package var text: String?
        package var json: JSONText
        /// The name of the device that made the change.
        package var device: String?

        package init(text: String?, json: JSONText, device: String? = nil) {
            self.text = text
            self.json = json
            self.device = device
        }
    }

    let name: String
    let isSet: Bool
    let origin: SettingsService.Origin
    /// The content for a number of columns. Called when the change is printed.
    let content: @Sendable (_ columns: Int) -> Content
    private let time = Date().timeIntervalSince1970

    package init(
        name: String, isSet: Bool, origin: SettingsService.Origin, content: @escaping @Sendable (Int) -> Content
    ) {
        self.name = name
        self.isSet = isSet
        self.origin = origin
        self.content = content
    }

    /// The change in a line, with its line break.
    func line(asJSON isJSON: Bool, _ streams: CommandStreams) -> String {
        let time = LocalTime.text(secondsSince1970: time)
        let content = content(max(streams.width, TextLayout.width))
        if isJSON {
            var members: [(name: String, value: JSONText)] = [
                ("time", .string(time)), ("name", .string(name)), ("value", content.json), ("isSet", .bool(isSet)),
                ("origin", .string("\(origin)")),
            ]
            if let device = content.device { members.append(("device", .string(device))) }
            return JSONText.object(members).compact + "\n"
        }
        let remark = ["\(origin)", content.device, isSet ? nil : "removed"].compactMap(\.self).joined(separator: ", ")
        let text = content.text.map { " \($0)" } ?? ""
        let name = streams.bold(TextLayout.escaped(name))
        return "\(streams.dim(time))  \(name):\(text)  \(streams.dim("(\(TextLayout.escaped(remark)))"))\n"
    }
}
