/// The effects of the keys.
extension BrowserState {
    mutating func press(_ key: Key) -> [Effect] {
        if key == .control("l") { return [.redraw] }
        if key == .unreadable {
            message = Message(text: "The terminal sent bytes that are not UTF-8; they are ignored.", isError: true)
            return []
        }
        switch mode {
        case .list: return pressInList(key)
        case .searching(let editor): pressInSearch(key, editor)
        case .editing(let edit): return pressInEdit(key, edit)
        case .confirming(let confirmation): return pressInQuestion(key, confirmation)
        case .reading(let page, let top): pressInPage(key, page, top)
        }
        return []
    }

    // MARK: The list

    private mutating func pressInList(_ key: Key) -> [Effect] {
        message = nil
        changedNames = []
        if move(key) { return [] }
        switch key {
        case .scalar("q"): return [.quit]
        case .enter, .scalar("e"): beginEditing()
        case .scalar(" "): return toggle()
        case .delete, .scalar("d"): confirmDeleting()
        case .scalar("u"): return undo()
        case .scalar("/"), .control("f"): mode = .searching(LineEditor(search))
        case .scalar("v"), .right: if detail != nil { mode = .reading(.detail, top: 0) }
        case .scalar("?"): mode = .reading(.help, top: 0)
        case .escape where !search.isEmpty: find("")
        case .pasted: message = Message(text: "Press Enter to edit the value, or / to search, before you paste.")
        default: break
        }
        return []
    }

    /// Moves the selection, if the key does that.
    private mutating func move(_ key: Key) -> Bool {
        let page = max(1, layout.list.count - 1)
        switch key {
        case .up, .scalar("k"), .control("p"): list.move(by: -1)
        case .down, .scalar("j"), .control("n"): list.move(by: 1)
        case .pageUp, .control("b"): list.move(by: -page)
        case .pageDown: list.move(by: page)
        case .home, .scalar("g"): list.moveToStart()
        case .end, .scalar("G"): list.moveToEnd()
        default: return false
        }
        return true
    }

    /// The selected setting, if it can be changed; otherwise shows the reason.
    private mutating func changeable() -> BrowserDetail? {
        guard let detail, detail.name == list.selected?.name else { return nil }
        guard let refusal = detail.refusal else { return detail }
        message = Message(text: refusal, isError: true)
        return nil
    }

    private mutating func beginEditing() {
        guard let detail = changeable() else { return }
        guard let text = detail.editableText else {
            message = Message(text: "\(detail.name): The value has no text that can be edited.", isError: true)
            return
        }
        if text.utf8.count > TerminalLimits.editedText {
            message = Message(text: "\(detail.name): The value is too long to be edited in a line.", isError: true)
            return
        }
        mode = .editing(
            Edit(
                name: detail.name, editor: LineEditor(text), expected: detail.stored, choices: detail.choices,
                isSecret: detail.isSecret))
    }

    private mutating func toggle() -> [Effect] {
        guard let detail = changeable() else { return [] }
        guard detail.choices.count > 1, !detail.isSecret else {
            message = Message(text: "Space changes a value that has a few choices. Press Enter to edit this one.")
            return []
        }
        let next = Self.choice(after: detail.editableText, in: detail.choices, by: 1)
        return [.write(.init(.edit, detail.name, .text(next), expected: detail.stored))]
    }

    private static func choice(after text: String?, in choices: [String], by step: Int) -> String {
        guard let text, let index = choices.firstIndex(of: text) else {
            return choices[step > 0 ? 0 : choices.count - 1]
        }
        return choices[(index + step + choices.count) % choices.count]
    }

    private mutating func confirmDeleting() {
        guard let detail = changeable() else { return }
        if !detail.isSet {
            message = Message(text: "\(detail.name): Nothing is stored that could be deleted.")
            return
        }
        let write = BrowserWrite(.delete, detail.name, .stored(nil), expected: detail.stored)
        mode = .confirming(Confirmation(question: "Delete the stored value of \(detail.name)? (y/n)", write: write))
    }

    private mutating func undo() -> [Effect] {
        guard let change = changes.last else {
            message = Message(text: "Nothing to undo.")
            return []
        }
        // The undone setting must be visible.
        if list.item(named: change.name) != nil, !isShown(change.name) { find("") }
        list.select(change.name)
        return [.write(.init(.undo, change.name, .stored(change.before), expected: change.after))]
    }

    private func isShown(_ name: String) -> Bool {
        list.words.isEmpty
            || list.rows.contains { if case .item(let index) = $0 { list.items[index].name == name } else { false } }
    }

    // MARK: Searching

    private mutating func pressInSearch(_ key: Key, _ editor: LineEditor) {
        var editor = editor
        switch key {
        case .enter: mode = .list
        case .escape:
            find("")
            mode = .list
        case .up, .down, .pageUp, .pageDown, .control("n"), .control("p"): _ = move(key)
        // A search is one line.
        case .lineBreak: break
        case .pasted(let text):
            editor.insert(text.split(whereSeparator: \.isNewline).joined(separator: " "))
            mode = .searching(editor)
            find(editor.text)
        default:
            guard editor.press(key) else { return }
            mode = .searching(editor)
            if editor.text != search { find(editor.text) }
        }
    }

    private mutating func find(_ text: String) {
        search = text
        list.search(text)
    }

    // MARK: Editing

    private mutating func pressInEdit(_ key: Key, _ edit: Edit) -> [Effect] {
        var edit = edit
        switch key {
        case .enter:
            message = nil
            return [.write(.init(.edit, edit.name, .text(edit.editor.text), expected: edit.expected))]
        case .escape:
            mode = .list
            message = Message(text: "\(edit.name): nothing was changed.")
            // The setting may be gone, or not match the search.
            return [.refresh(edit.name)]
        case .tab, .backTab:
            if edit.choices.isEmpty { return [] }
            edit.editor.replaceAll(
                with: Self.choice(after: edit.editor.text, in: edit.choices, by: key == .tab ? 1 : -1))
        default:
            var changed = edit.editor
            guard changed.press(key) else { return [] }
            if changed.text.utf8.count > TerminalLimits.editedText {
                message = Message(text: "The text is too long to be edited in a line.", isError: true)
                return []
            }
            edit.editor = changed
            // The reason for a refusal is obsolete once the text changes.
            if message?.isError ?? false { message = nil }
        }
        mode = .editing(edit)
        return []
    }

    private mutating func pressInQuestion(_ key: Key, _ confirmation: Confirmation) -> [Effect] {
        switch key {
        case .scalar("y"), .scalar("Y"):
            mode = confirmation.edit.map { .editing($0) } ?? .list
            return [.write(confirmation.write)]
        case .scalar("s"), .scalar("S"):
            // A change that cannot be undone must not block all earlier ones.
            guard confirmation.write.purpose == .undo, !changes.isEmpty else { return [] }
            changes.removeLast()
            mode = .list
            message = Message(text: "\(confirmation.write.name): left as it is. u undoes the change before it.")
            return [.refresh(confirmation.write.name)]
        case .scalar("n"), .scalar("N"), .escape, .scalar("q"):
            mode = confirmation.edit.map { .editing($0) } ?? .list
            message = Message(text: "Nothing was changed.")
            return [.refresh(confirmation.write.name)]
        default: return []
        }
    }

    // MARK: Pages

    private mutating func pressInPage(_ key: Key, _ page: Page, _ top: Int) {
        let height = layout.page.count
        switch key {
        case .up, .scalar("k"), .control("p"): mode = .reading(page, top: top - 1)
        case .down, .scalar("j"), .control("n"), .enter: mode = .reading(page, top: top + 1)
        case .pageUp, .control("b"): mode = .reading(page, top: top - height)
        case .pageDown, .scalar(" "): mode = .reading(page, top: top + height)
        case .home, .scalar("g"): mode = .reading(page, top: 0)
        case .end, .scalar("G"): mode = .reading(page, top: .max / 2)
        case .escape, .left, .scalar("q"), .scalar("v"), .scalar("?"): mode = .list
        default: break
        }
    }

    /// Keeps a page within its text.
    mutating func limitPage() {
        guard case .reading(let page, let top) = mode else { return }
        if page == .detail, detail == nil {
            mode = .list
            return
        }
        let last = max(0, lines(of: page).count - layout.page.count)
        mode = .reading(page, top: min(max(0, top), last))
    }
}
