import Foundation
import SettingsKit

/// The settings that the terminal view shows and changes: those of a catalogue, or all that a store holds.
protocol BrowsedSettings: Sendable {
    /// What the settings belong to.
    var title: String { get }

    /// All settings, in the order in which they are shown.
    func items() throws -> [BrowserItem]

    /// A setting as it is now; nil if there is none of that name any more.
    func item(named name: String) throws -> BrowserItem?

    /// All that can be said of a setting; nil if there is none of that name any more. If it cannot be read, that is the
    /// problem of the detail.
    func detail(of name: String) -> BrowserDetail?

    /// Stores something, or removes what is stored, if that is still what was expected.
    func write(_ write: BrowserWrite) -> BrowserWrite.Outcome

    /// Returns when every change survives a power failure.
    func synchronize() throws

    /// Calls a closure with the names of settings after they have changed, on any thread.
    func observe(
        _ body: @escaping @Sendable (_ names: [String], SettingsService.Origin) -> Void
    ) -> [SettingsService.Subscription]
}

/// One line of the list.
struct BrowserItem: Equatable, Sendable {
    /// The name, which no other item has.
    var name: String
    /// The title of its group; nil for settings without groups, which are sorted by their names.
    var group: String?
    /// The value in force, or its beginning, as a person reads it.
    var text: String
    /// Where the value comes from.
    var source: String
    /// Whether the value is the setting's default.
    var isDefault = false
    /// Whether a layer has the value that is above the one that is written to.
    var isLocked = false
    /// Whether something is stored that can be removed.
    var isSet = false
    /// Whether something is wrong with what is stored.
    var hasProblem = false
    /// What the setting is for, to be searched.
    var help = ""
}

/// All that the view says of the selected setting.
struct BrowserDetail: Equatable, Sendable {
    /// What one layer holds.
    struct Layer: Equatable, Sendable {
        var name: String
        /// The text; nil if the layer holds nothing.
        var text: String?
        var remark = ""
        var isInForce = false
    }

    var name: String
    /// What the setting is for, and what its values are.
    var description: String
    /// The whole text of the value in force.
    var text: String
    /// The layers and the default, the highest first.
    var layers: [Layer] = []
    /// What is wrong with what is stored.
    var problem: String?
    /// The text that editing begins with; nil if the value cannot be edited as text.
    var editableText: String?
    /// Why the setting cannot be changed.
    var refusal: String?
    /// The texts of all values, if they are few.
    var choices: [String] = []
    /// Whether what is typed is shown as dots.
    var isSecret = false
    /// What the layer that is written to holds.
    var stored: Data?
    var isSet: Bool { stored != nil }
}

/// A change that the view makes.
struct BrowserWrite: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        /// The text of a value, in the form that the setting has.
        case text(String)
        /// Bytes that were stored before; nil to remove what is stored.
        case stored(Data?)
    }

    enum Purpose: Equatable, Sendable {
        case edit, delete, undo
    }

    var name: String
    var content: Content
    /// What must be stored for the change to be made: what the person has seen.
    var expected: Data?
    /// What was stored when the person began, whose type a text has.
    var basis: Data?
    var purpose: Purpose

    init(_ purpose: Purpose, _ name: String, _ content: Content, expected: Data?) {
        self.purpose = purpose
        self.name = name
        self.content = content
        self.expected = expected
        basis = expected
    }

    enum Outcome: Equatable, Sendable {
        case stored(BrowserChange)
        /// Something else is stored than was expected. Nothing was changed.
        case changedMeanwhile(Data?)
        /// Nothing was changed, and why.
        case refused(String)
    }
}

/// A change that was made, for undoing it.
struct BrowserChange: Equatable, Sendable {
    var name: String
    /// What was stored; nil for nothing.
    var before: Data?
    /// What is stored since.
    var after: Data?
}
