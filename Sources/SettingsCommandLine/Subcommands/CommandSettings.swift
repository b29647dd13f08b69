import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings that subcommands show and change: those of a catalogue, or all that a store holds.
///
/// Each subcommand is written once, over this protocol.
package protocol CommandSettings {
    associatedtype Change: SettingChange

    /// Whether values may be missing because a store is damaged.
    var isDamaged: Bool { get }

    /// Prints all settings.
    func list(asJSON: Bool, _ streams: CommandStreams) throws

    /// Returns the value in force: its text, unescaped, nil if it has none; and the reason why a stored value is not in force.
    ///
    /// - Throws: A failure if there is no such setting, or no value.
    func value(
        named name: String, showsSecrets: Bool
    ) throws -> (text: String?, json: JSONText, problem: String?)

    /// Returns the origin of a value.
    ///
    /// - Throws: A failure if there is no such setting, or no value.
    func explanation(of name: String) throws -> Explanation

    /// Calls a closure after each change, on any thread.
    ///
    /// - Parameters:
    ///   - names: The settings to observe; all if it is empty.
    ///   - body: Receives the name, whether a value is stored, the origin, and the content.
    func observe(
        _ names: [String], _ streams: CommandStreams,
        _ body: @escaping @Sendable (String, Bool, SettingsService.Origin, @escaping ObservedContent) -> Void
    ) throws -> [SettingsService.Subscription]

    /// Returns the removals of stored values.
    ///
    /// - Parameter names: The settings; nil for all.
    /// - Throws: A failure if one of the settings cannot be removed.
    func removals(of names: [String]?) throws -> [Change]

    /// The number of changes that are stored together at most; nil to store all together, where the store can.
    var batchSize: Int? { get }

    /// Stores some changes together: all of them, or none.
    func store(_ batch: ArraySlice<Change>) throws

    /// Returns when every change survives a power failure, and other programs can read it in the store's files.
    func bringUpToDate() throws

    /// What `edit` shows.
    func edited() throws -> EditedSettings

    /// The changes for edited values.
    ///
    /// - Throws: A failure that names what cannot be stored.
    func changes(_ values: [EditedValue]) throws -> [Change]

    /// Stores changes together, unless one of the settings has another value than the known one.
    ///
    /// - Returns: False, without a change, if one has.
    func store(_ changes: [Change], over known: [String: Data]) throws -> Bool

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

/// Returns the new value of a change, when that is printed, in a number of columns: its text, escaped, nil for none; and the
/// device that made the change.
package typealias ObservedContent = @Sendable (_ columns: Int) -> (text: String?, json: JSONText, device: String?)

/// A change that `watch` prints.
struct ObservedChange: Sendable {
    let name: String
    let isSet: Bool
    let origin: SettingsService.Origin
    let content: ObservedContent
    let time = Date()

    /// The change in a line, with its line break.
    func line(asJSON isJSON: Bool, _ streams: CommandStreams) -> String {
        let time = timeText(time)
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
        return "\(time)  \(TextLayout.escaped(name)):\(text)  (\(TextLayout.escaped(remark)))\n"
    }
}

/// A time in UTC: `2026-11-22T21:41:24.123Z`.
package func timeText(_ time: Date) -> String {
    time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}
