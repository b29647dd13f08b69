#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of the terminal view: its contents, its mode, and the changes that can be undone.
///
/// It is a value without a terminal and without a store. ``handle(_:)`` takes an event, changes the state, and returns the
/// effects to carry out; their results are further events.
package struct BrowserState: Equatable, Sendable {
    /// The meaning of the keys.
    enum Mode: Equatable, Sendable {
        case list
        case searching(LineEditor)
        case editing(Edit)
        case confirming(Confirmation)
        /// A text that fills the screen, from one of its lines.
        case reading(Page, top: Int)
    }

    enum Page: Equatable, Sendable {
        case help, detail
    }

    /// A value that is being edited.
    struct Edit: Equatable, Sendable {
        var name: String
        var editor: LineEditor
        /// The stored value when editing began.
        var expected: Data?
        var choices: [String] = []
        var isSecret = false
        /// Whether the person was notified that another value is stored now.
        var isChangedMeanwhile = false
    }

    /// A question that is answered with y or n.
    struct Confirmation: Equatable, Sendable {
        var question: String
        /// The write after a yes.
        var write: BrowserWrite
        /// The edit to continue after a no; nil for the list.
        var edit: Edit?
    }

    struct Message: Equatable, Sendable {
        var text: String
        var isError = false
    }

    let title: String
    var list: BrowserList
    var mode = Mode.list
    var detail: BrowserDetail?
    var message: Message?
    /// The text of the search.
    var search = ""
    /// The changes made in this view, the latest last.
    var changes: [BrowserChange] = []
    /// The settings that other processes have changed since the last key.
    var changedNames: Set<String> = []
    var columns: Int
    var rows: Int

    init(title: String, items: [BrowserItem], columns: Int = 80, rows: Int = 24) {
        self.title = title
        list = BrowserList(items)
        (self.columns, self.rows) = Self.limited(columns, rows)
        list.scroll(height: layout.list.count)
    }

    /// Sizes beyond this are mistakes.
    private static func limited(_ columns: Int, _ rows: Int) -> (Int, Int) {
        (min(max(columns, 1), 1_000), min(max(rows, 1), 500))
    }

    // MARK: Events

    enum Event: Sendable {
        case key(Key)
        case resized(columns: Int, rows: Int)
        /// The current settings; nil for removed ones.
        case refreshed([(name: String, item: BrowserItem?)], isExternal: Bool)
        /// The answer to ``Effect/load(_:)``.
        case loaded(BrowserDetail?)
        /// The answer to ``Effect/write(_:)``.
        case wrote(BrowserWrite, BrowserWrite.Outcome)
        /// An error, or a report of another part of the program.
        case reported(String)
    }

    /// An action of the view.
    enum Effect: Equatable, Sendable {
        /// Reads the details of a setting.
        case load(String)
        /// Reads a line of the list again.
        case refresh(String)
        case write(BrowserWrite)
        /// Draws the whole screen again.
        case redraw
        case quit
    }

    mutating func handle(_ event: Event) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .key(let key): effects = press(key)
        case .resized(let columns, let rows): (self.columns, self.rows) = Self.limited(columns, rows)
        case .refreshed(let changes, let isExternal): effects = refresh(changes, isExternal: isExternal)
        case .loaded(let detail): show(detail)
        case .wrote(let write, let outcome): effects = finish(write, outcome)
        case .reported(let text): message = Message(text: text, isError: true)
        }
        list.scroll(height: layout.list.count)
        limitPage()
        if case .loaded = event { return effects }
        // The details are those of the selected item.
        if let name = list.selected?.name {
            if detail?.name != name, !effects.contains(.load(name)) { effects.append(.load(name)) }
        } else {
            detail = nil
        }
        return effects
    }

    // MARK: Live changes

    private mutating func refresh(_ changed: [(name: String, item: BrowserItem?)], isExternal: Bool) -> [Effect] {
        list.update(changed, keeping: editedName)
        if isExternal {
            changedNames.formUnion(changed.map(\.name))
            if let first = changed.first, case .list = mode {
                let others = changed.count - 1
                let text = others == 0 ? first.name : "\(first.name) and \(others) more"
                message = Message(text: "\(text): changed outside of this view.")
            }
        }
        guard let name = list.selected?.name, changed.contains(where: { $0.name == name }) else { return [] }
        return [.load(name)]
    }

    private mutating func show(_ detail: BrowserDetail?) {
        self.detail = detail?.name == list.selected?.name ? detail : nil
        guard case .editing(var edit) = mode, !edit.isChangedMeanwhile else { return }
        if let detail, detail.name != edit.name { return }
        if detail?.stored == edit.expected { return }
        edit.isChangedMeanwhile = true
        mode = .editing(edit)
        message = Message(
            text:
                "\(edit.name): changed outside of this view. Enter asks before it is overwritten; Esc shows the new value."
        )
    }

    /// The setting that is being edited.
    var editedName: String? {
        switch mode {
        case .editing(let edit): edit.name
        case .confirming(let confirmation): confirmation.edit?.name ?? confirmation.write.name
        case .list, .searching, .reading: nil
        }
    }

    // MARK: Results

    private mutating func finish(_ write: BrowserWrite, _ outcome: BrowserWrite.Outcome) -> [Effect] {
        switch outcome {
        case .stored(let change):
            record(change, of: write)
            mode = .list
            return [.refresh(write.name)]
        case .refused(let reason):
            // The text of the edit stays.
            message = Message(text: reason, isError: true)
            return []
        case .changedMeanwhile(let stored):
            ask(write, stored: stored)
            return [.refresh(write.name)]
        }
    }

    private mutating func record(_ change: BrowserChange, of write: BrowserWrite) {
        let name = write.name
        changedNames.remove(name)
        switch write.purpose {
        case .undo:
            if !changes.isEmpty { changes.removeLast() }
            message = Message(
                text: change.after == nil ? "\(name): undone. Nothing is stored now." : "\(name): undone.")
        case .edit, .delete:
            if change.before == change.after {
                message = Message(text: "\(name): nothing to change.")
                return
            }
            changes.append(change)
            message = Message(text: "\(name): \(write.purpose == .delete ? "deleted" : "stored"). u undoes it.")
        }
    }

    private mutating func ask(_ write: BrowserWrite, stored: Data?) {
        var edit: Edit?
        if case .editing(let current) = mode { edit = current }
        if case .confirming(let current) = mode { edit = current.edit }
        edit?.isChangedMeanwhile = true
        let question =
            switch write.purpose {
            case .edit: "Overwrite it? (y/n)"
            case .delete: "Delete it all the same? (y/n)"
            case .undo: "Undo your change all the same? (y/n, s skips it)"
            }
        var confirmed = write
        confirmed.expected = stored
        let event = stored == nil ? "deleted" : "changed"
        message = nil
        mode = .confirming(
            Confirmation(
                question: "\(write.name) was \(event) outside of this view. \(question)", write: confirmed, edit: edit))
    }
}
