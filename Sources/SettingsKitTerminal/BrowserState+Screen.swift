import SettingsKit

/// The screen of the state.
extension BrowserState {
    /// The contents of the terminal.
    func screen() -> Screen {
        var screen = Screen(columns: columns, rows: rows)
        let layout = layout
        drawTitle(layout, &screen)
        if case .reading(let page, let top) = mode {
            draw(lines(of: page).dropFirst(top), in: layout.page, &screen)
        } else {
            drawList(layout, &screen)
            if let separator = layout.separator {
                screen.put(String(repeating: "─", count: columns), row: separator, column: 0, style: .dim)
            }
            if let detail { draw(lines(of: detail, isWhole: false)[...], in: layout.pane, &screen) }
        }
        drawKeys(layout, &screen)
        drawMessage(layout, &screen)
        if case .editing(let edit) = mode { draw(edit, layout, &screen) }
        if case .searching(let editor) = mode { draw(editor, layout, &screen) }
        return screen
    }

    // MARK: Around the list

    private func drawTitle(_ layout: Layout, _ screen: inout Screen) {
        guard let row = layout.title else { return }
        screen.fill(row: row, style: .reversed)
        let count = list.items.count
        var remark = list.shownCount == count ? "\(count) settings " : "\(list.shownCount) of \(count) settings "
        if count == 1 { remark = "\(list.shownCount == 1 ? "" : "0 of ")1 setting " }
        if !changes.isEmpty { remark = "\(changes.count) to undo, " + remark }
        let start = columns - TextLayout.columns(remark)
        if start >= 10 { screen.put(remark, row: row, column: start, style: .reversed) }
        let style = TextStyle(isBold: true, isReversed: true)
        screen.putTruncated(title, row: row, column: 1, before: start >= 10 ? start - 2 : columns, style: style)
    }

    private func drawKeys(_ layout: Layout, _ screen: inout Screen) {
        guard let row = layout.keys else { return }
        var column = 1
        for (key, meaning) in keys {
            let width = TextLayout.columns(key) + 1 + TextLayout.columns(meaning)
            if column + width > columns { break }
            let end = screen.put(key, row: row, column: column, style: .bold)
            column = screen.put(meaning, row: row, column: end + 1, style: .dim) + 2
        }
    }

    /// The keys that are useful now, the most important first.
    private var keys: [(key: String, meaning: String)] {
        switch mode {
        case .list:
            var keys = [("q", "quit"), ("Enter", "edit"), ("/", "search")]
            if let detail, detail.choices.count > 1 { keys.insert(("Space", "change"), at: 2) }
            if !changes.isEmpty { keys.append(("u", "undo")) }
            if detail?.isSet ?? false { keys.append(("d", "delete")) }
            return keys + [("v", "view"), ("?", "help")]
        case .searching: return [("Enter", "keep"), ("Esc", "show all")]
        case .editing(let edit):
            let choices = edit.choices.isEmpty ? [] : [("Tab", "next value")]
            return [("Enter", "store"), ("Esc", "cancel")] + choices + [("^U", "clear"), ("Alt-Enter", "line break")]
        case .confirming(let confirmation):
            return [("y", "yes"), ("n", "no")] + (confirmation.write.purpose == .undo ? [("s", "skip")] : [])
        case .reading: return [("q", "back"), ("Space", "next page")]
        }
    }

    private func drawMessage(_ layout: Layout, _ screen: inout Screen) {
        guard let row = layout.message else { return }
        var text = ""
        var style = TextStyle.plain
        if case .confirming(let confirmation) = mode {
            text = confirmation.question
            style = TextStyle(isBold: true, color: .yellow)
        } else if let message {
            text = message.text
            if message.isError { style = TextStyle(isBold: true, color: .red) }
        } else if case .list = mode, !search.isEmpty {
            text = "Search: \(search)  (Esc shows all)"
            style = .dim
        }
        if text.isEmpty { return }
        // A long message covers the rows above it, but not the edited line.
        let floor = if case .editing = mode { selectedScreenRow(layout) } else { layout.title }
        let height = max(1, row - (floor ?? -1))
        let width = max(1, columns - 2)
        var lines = TextLayout.wrapped(TextLayout.escaped(text), to: width)
        if lines.count > height {
            lines = lines.prefix(height - 1) + [lines.dropFirst(height - 1).joined(separator: " ")]
        }
        for (index, line) in lines.enumerated() {
            let row = row - lines.count + 1 + index
            screen.put(String(repeating: " ", count: columns), row: row, column: 0)
            screen.putTruncated(line, row: row, column: 1, before: columns - 1, style: style)
        }
    }

    // MARK: The list

    /// The row of the screen that has the selected item.
    private func selectedScreenRow(_ layout: Layout) -> Int? {
        list.selectedRow.map { layout.list.lowerBound + $0 - list.top }.flatMap { layout.list.contains($0) ? $0 : nil }
    }

    private func drawList(_ layout: Layout, _ screen: inout Screen) {
        if list.rows.isEmpty {
            let text = list.items.isEmpty ? "No settings are stored." : "No setting matches the search."
            screen.putTruncated(text, row: layout.list.lowerBound, column: 1, before: columns, style: .dim)
        }
        for row in layout.list {
            let index = list.top + row - layout.list.lowerBound
            guard list.rows.indices.contains(index) else { break }
            switch list.rows[index] {
            case .heading(let title):
                screen.putTruncated(title, row: row, column: 1, before: columns, style: .bold)
            case .item(let item):
                draw(list.items[item], row: row, isSelected: index == list.selectedRow, layout, &screen)
            }
        }
    }

    private func draw(_ item: BrowserItem, row: Int, isSelected: Bool, _ layout: Layout, _ screen: inout Screen) {
        let isChanged = changedNames.contains(item.name)
        var marker = TextStyle.colored(isChanged ? .cyan : .red)
        var name = TextStyle.plain
        var value = item.isDefault || item.text.isEmpty ? TextStyle.dim : .plain
        var source = item.isLocked ? TextStyle.colored(.yellow) : .dim
        if isChanged { value = TextStyle(isBold: true, color: .cyan) }
        if isSelected {
            screen.fill(row: row, style: .reversed)
            marker = .reversed
            name = TextStyle(isBold: true, isReversed: true)
            value = TextStyle(isBold: isChanged, isReversed: true)
            source = .reversed
        }
        if item.hasProblem || isChanged { screen.put(item.hasProblem ? "!" : "*", row: row, column: 0, style: marker) }
        screen.putTruncated(
            item.name, row: row, column: layout.name.lowerBound, before: layout.name.upperBound, style: name)
        screen.putTruncated(
            item.text.isEmpty ? "(empty)" : item.text, row: row, column: layout.value.lowerBound,
            before: layout.value.upperBound, style: value)
        screen.putTruncated(
            item.source, row: row, column: layout.source.lowerBound, before: layout.source.upperBound, style: source)
    }

    // MARK: Editing

    private func draw(_ edit: Edit, _ layout: Layout, _ screen: inout Screen) {
        guard let row = selectedScreenRow(layout) else { return }
        // The value also covers the source. A tiny screen shows only the value.
        let start = columns - layout.value.lowerBound >= 8 ? layout.value.lowerBound : 0
        screen.fill(row: row, style: .plain)
        draw(edit.editor, row: row, from: start, isHidden: edit.isSecret, &screen)
    }

    private func draw(_ editor: LineEditor, _ layout: Layout, _ screen: inout Screen) {
        let row = layout.message ?? 0
        screen.put(String(repeating: " ", count: columns), row: row, column: 0)
        let start = columns >= 20 ? screen.put(" Search: ", row: row, column: 0, style: .bold) : 0
        draw(editor, row: row, from: start, isHidden: false, &screen)
    }

    private func draw(_ editor: LineEditor, row: Int, from start: Int, isHidden: Bool, _ screen: inout Screen) {
        // If there is room beside the text, signs show that it continues.
        let hasSigns = columns - start > 4 && start > 0
        let width = columns - start - (hasSigns ? 1 : 0)
        let window = editor.window(columns: width, isHidden: isHidden)
        screen.put(String(repeating: " ", count: columns - start), row: row, column: start)
        screen.put(window.text, row: row, column: start, before: start + width)
        screen.fill(row: row, from: start, before: start + width, style: .underlined)
        if hasSigns {
            if window.isCutBefore { screen.put("…", row: row, column: start - 1, style: .dim) }
            if window.isCutBehind { screen.put("…", row: row, column: columns - 1, style: .dim) }
        }
        screen.cursor = Screen.Position(row: row, column: min(columns - 1, start + window.cursor))
    }

    // MARK: Lines

    private func draw(_ lines: ArraySlice<Line>, in area: Range<Int>, _ screen: inout Screen) {
        for (row, line) in zip(area, lines) {
            var column = 1
            for part in line { column = screen.put(part.text, row: row, column: column, style: part.style) }
        }
    }
}
