import Foundation
import SettingsKit

/// The settings that the terminal view shows and changes: those of a catalogue, or all that a store holds.
package protocol BrowsedSettings: Sendable {
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
package struct BrowserItem: Equatable, Sendable {
    /// The name, which no other item has.
    package var name: String
    /// The title of its group; nil for settings without groups, which are sorted by their names.
    package var group: String?
    /// The value in force, or its beginning, as a person reads it.
    package var text: String
    /// Where the value comes from.
    package var source: String
    /// Whether the value is the setting's default.
    package var isDefault = false
    /// Whether a layer has the value that is above the one that is written to.
    package var isLocked = false
    /// Whether something is stored that can be removed.
    package var isSet = false
    /// Whether something is wrong with what is stored.
    package var hasProblem = false
    /// What the setting is for, to be searched.
    package var help = ""

    package init(
        name: String, group: String? = nil, text: String, source: String, isDefault: Bool = false,
        isLocked: Bool = false, isSet: Bool = false, hasProblem: Bool = false, help: String = ""
    ) {
        self.name = name
        self.group = group
        self.text = text
        self.source = source
        self.isDefault = isDefault
        self.isLocked = isLocked
        self.isSet = isSet
        self.hasProblem = hasProblem
        self.help = help
    }
}

/// All that the view says of the selected setting.
package struct BrowserDetail: Equatable, Sendable {
    /// What one layer holds.
    package struct Layer: Equatable, Sendable {
        package var name: String
        /// The text; nil if the layer holds nothing.
        package var text: String?
        package var remark = ""
        package var isInForce = false

        package init(name: String, text: String?, remark: String = "", isInForce: Bool = false) {
            self.name = name
            self.text = text
            self.remark = remark
            self.isInForce = isInForce
        }
    }

    package var name: String
    /// What the setting is for, and what its values are.
    package var description: String
    /// The whole text of the value in force.
    package var text: String
    /// The layers and the default, the highest first.
    package var layers: [Layer] = []
    /// What is wrong with what is stored.
    package var problem: String?
    /// The text that editing begins with; nil if the value cannot be edited as text.
    package var editableText: String?
    /// Why the setting cannot be changed.
    package var refusal: String?
    /// The texts of all values, if they are few.
    package var choices: [String] = []
    /// Whether what is typed is shown as dots.
    package var isSecret = false
    /// What the layer that is written to holds.
    package var stored: Data?
    package var isSet: Bool { stored != nil }

    package init(name: String, description: String, text: String) {
        self.name = name
        self.description = description
        self.text = text
    }
}

/// A change that the view makes.
package struct BrowserWrite: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// The text of a value, in the form that the setting has.
        case text(String)
        /// Bytes that were stored before; nil to remove what is stored.
        case stored(Data?)
    }

    package enum Purpose: Equatable, Sendable {
        case edit, delete, undo
    }

    package var name: String
    package var content: Content
    /// What must be stored for the change to be made: what the person has seen.
    package var expected: Data?
    /// What was stored when the person began, whose type a text has.
    package var basis: Data?
    package var purpose: Purpose

    package init(_ purpose: Purpose, _ name: String, _ content: Content, expected: Data?) {
        self.purpose = purpose
        self.name = name
        self.content = content
        self.expected = expected
        basis = expected
    }

    package enum Outcome: Equatable, Sendable {
        case stored(BrowserChange)
        /// Something else is stored than was expected. Nothing was changed.
        case changedMeanwhile(Data?)
        /// Nothing was changed, and why.
        case refused(String)
    }
}

/// A change that was made, for undoing it.
package struct BrowserChange: Equatable, Sendable {
    package var name: String
    /// What was stored; nil for nothing.
    package var before: Data?
    /// What is stored since.
    package var after: Data?

    package init(name: String, before: Data?, after: Data?) {
        self.name = name
        self.before = before
        self.after = after
    }
}
