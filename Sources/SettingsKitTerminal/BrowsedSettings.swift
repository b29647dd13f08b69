import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings that the terminal view shows and changes: those of a catalogue, or all that a store holds.
package protocol BrowsedSettings: Sendable {
    /// The owner of the settings.
    var title: String { get }

    /// All settings, in the order in which they are shown.
    func items() throws -> [BrowserItem]

    /// A setting as it is now; nil if it is gone.
    func item(named name: String) throws -> BrowserItem?

    /// All details of a setting; nil if it is gone. An unreadable setting has the reason as its detail's problem.
    func detail(of name: String) -> BrowserDetail?

    /// Stores a value or removes the stored one, if the stored value is the expected one.
    func write(_ write: BrowserWrite) -> BrowserWrite.Outcome

    /// Returns when every change survives a power failure, and other programs can read it in the store's files.
    func bringUpToDate() throws

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
    /// Whether a higher layer than the writable one has the value.
    package var isLocked = false
    /// Whether there is a stored value to remove.
    package var isSet = false
    /// Whether the stored value has a problem.
    package var hasProblem = false
    /// The setting's description, for searching.
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

/// All details of the selected setting.
package struct BrowserDetail: Equatable, Sendable {
    /// The contents of one layer.
    package struct Layer: Equatable, Sendable {
        package var name: String
        /// The text; nil if the layer holds nothing.
        package var text: String?
        /// The place of the value in the layer, such as a variable.
        package var location: String?
        package var remark = ""
        package var isInForce = false

        package init(
            name: String, text: String?, location: String? = nil, remark: String = "", isInForce: Bool = false
        ) {
            self.name = name
            self.text = text
            self.location = location
            self.remark = remark
            self.isInForce = isInForce
        }
    }

    package var name: String
    /// The purpose of the setting, and its possible values.
    package var description: String
    /// The whole text of the value in force.
    package var text: String
    /// The layers and the default, the highest first.
    package var layers: [Layer] = []
    /// The problem of the stored value.
    package var problem: String?
    /// The initial text of an edit; nil if the value cannot be edited as text.
    package var editableText: String?
    /// The reason why the setting cannot be changed.
    package var refusal: String?
    /// The texts of all values, if they are few.
    package var choices: [String] = []
    /// Whether typed text is shown as dots.
    package var isSecret = false
    /// The value in the writable layer.
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
        /// Bytes that were stored before; nil to remove the stored ones.
        case stored(Data?)
    }

    package enum Purpose: Equatable, Sendable {
        case edit, delete, undo
    }

    package var name: String
    package var content: Content
    /// The value that must be stored for the change to be made: the one that the person has seen.
    package var expected: Data?
    /// The stored value when the person began, whose type a text gets.
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
        /// Another value is stored than expected. Nothing was changed.
        case changedMeanwhile(Data?)
        /// Nothing was changed, for this reason.
        case refused(String)
    }
}

/// A completed change, for undoing it.
package struct BrowserChange: Equatable, Sendable {
    package var name: String
    /// The value before; nil if nothing was stored.
    package var before: Data?
    /// The value since then.
    package var after: Data?

    package init(name: String, before: Data?, after: Data?) {
        self.name = name
        self.before = before
        self.after = after
    }
}
