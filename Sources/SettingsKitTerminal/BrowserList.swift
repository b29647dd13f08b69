import SettingsKit

/// The list of the terminal view: the matching items, their groups, the selected item, and the visible part.
struct BrowserList: Equatable, Sendable {
    enum Row: Equatable, Sendable {
        case heading(String)
        /// The index of an item.
        case item(Int)
    }

    private(set) var items: [BrowserItem]
    private(set) var rows: [Row] = []
    /// The row of the selected item; nil if no item is shown.
    private(set) var selectedRow: Int?
    /// The first visible row.
    private(set) var top = 0
    /// The words of the search, in lower case, which every visible item contains.
    private(set) var words: [String] = []
    /// The number of visible items.
    private(set) var shownCount = 0
    /// The columns of the longest name, up to a limit.
    private(set) var nameColumns = 0
    private var indices: [String: Int] = [:]

    init(_ items: [BrowserItem]) {
        self.items = items
        index()
        rebuild(keeping: nil)
        selectedRow = nextItem(from: 0, by: 1)
    }

    var selected: BrowserItem? {
        guard let selectedRow, case .item(let index) = rows[selectedRow] else { return nil }
        return items[index]
    }

    func item(named name: String) -> BrowserItem? { indices[name].map { items[$0] } }

    // MARK: Searching

    /// Shows the items that contain all words of a text in their name, value, group or help.
    mutating func search(_ text: String) {
        words = text.lowercased().split(separator: " ").map(String.init)
        rebuild(keeping: nil)
    }

    private func matches(_ item: BrowserItem) -> Bool {
        if words.isEmpty { return true }
        let text = "\(item.name)\n\(item.text)\n\(item.group ?? "")\n\(item.help)".lowercased()
        return words.allSatisfy { text.contains($0) }
    }

    // MARK: Changing

    /// Updates items; nil for removed ones.
    ///
    /// - Parameter kept: The name of an item that stays even if it does not match the search or was removed.
    mutating func update(_ changes: [(name: String, item: BrowserItem?)], keeping kept: String?) {
        let selectedName = selected?.name
        var isReordered = false
        var gone: Set<String> = []
        for (name, item) in changes {
            if let index = indices[name] {
                if let item { items[index] = item } else if name != kept { gone.insert(name) }
            } else if let item {
                items.append(item)
                indices[name] = items.count - 1
                isReordered = true
            }
        }
        if !gone.isEmpty { items.removeAll { gone.contains($0.name) } }
        // Only ungrouped settings appear and disappear.
        if isReordered { items.sort { $0.name < $1.name } }
        if isReordered || !gone.isEmpty { index() }
        if isReordered || !gone.isEmpty || !words.isEmpty { rebuild(keeping: kept, selecting: selectedName) }
    }

    private mutating func index() {
        indices = [:]
        nameColumns = 0
        for (index, item) in items.enumerated() {
            indices[item.name] = index
            nameColumns = max(nameColumns, min(80, TextLayout.columns(TextLayout.escaped(item.name))))
        }
    }

    /// - Parameters:
    ///   - kept: The name of an item to show although it may not match.
    ///   - name: The name of the selected item; nil for the present one.
    private mutating func rebuild(keeping kept: String?, selecting name: String? = nil) {
        let name = name ?? selected?.name
        let row = selectedRow ?? 0
        rows = []
        shownCount = 0
        var group: String?
        var newRow: Int?
        for (index, item) in items.enumerated() where item.name == kept || matches(item) {
            if let title = item.group, title != group { rows.append(.heading(title)) }
            group = item.group
            if item.name == name { newRow = rows.count }
            rows.append(.item(index))
            shownCount += 1
        }
        // If the selected item is gone, the one in its place is selected.
        selectedRow =
            newRow ?? nextItem(from: min(row, rows.count - 1), by: 1) ?? nextItem(from: rows.count - 1, by: -1)
    }

    // MARK: Moving

    /// Moves the selection by items, and stops at the first and the last.
    mutating func move(by distance: Int) {
        guard var row = selectedRow else { return }
        let step = distance < 0 ? -1 : 1
        for _ in 0..<abs(distance) {
            guard let next = nextItem(from: row + step, by: step) else { break }
            row = next
        }
        selectedRow = row
    }

    mutating func moveToStart() {
        selectedRow = nextItem(from: 0, by: 1)
        top = 0
    }

    mutating func moveToEnd() { selectedRow = nextItem(from: rows.count - 1, by: -1) }

    /// Selects an item by its name, if it is shown.
    mutating func select(_ name: String) {
        guard let index = indices[name], let row = rows.firstIndex(of: .item(index)) else { return }
        selectedRow = row
    }

    private func nextItem(from row: Int, by step: Int) -> Int? {
        var row = row
        while rows.indices.contains(row) {
            if case .item = rows[row] { return row }
            row += step
        }
        return nil
    }

    /// Scrolls until the selected row and the heading before it are visible.
    mutating func scroll(height: Int) {
        let height = max(1, height)
        if let selectedRow {
            var first = selectedRow
            if height > 1, first > 0, case .heading = rows[first - 1] { first -= 1 }
            if first < top { top = first }
            if selectedRow >= top + height { top = selectedRow - height + 1 }
        }
        // There must be no empty space at the end while rows above are hidden.
        top = max(0, min(top, rows.count - height))
    }
}
