import SettingsKit

extension BrowserState {
    /// The rows and columns of the screen's parts. A small screen has only the most important ones.
    struct Layout: Equatable {
        /// The row of the title; nil if it does not fit.
        var title: Int?
        var list = 0..<1
        /// The row of the line between the list and the details of the selected setting.
        var separator: Int?
        var pane = 0..<0
        /// The last row of messages and questions, and the row of the search.
        var message: Int?
        /// The row of the keys.
        var keys: Int?
        /// The rows of a page that fills the screen.
        var page = 0..<1

        var indentation = 1
        /// The columns of names, values and sources.
        var name = 0..<1
        var value = 0..<1
        var source = 0..<0
    }

    var layout: Layout {
        var layout = Layout()
        var first = 0
        var last = rows
        if rows >= 5 {
            last -= 1
            layout.keys = last
        }
        if rows >= 2 {
            last -= 1
            layout.message = last
        }
        if rows >= 3 {
            layout.title = 0
            first = 1
        }
        layout.page = first..<last
        if rows >= 12 {
            let height = rows >= 24 ? 6 : rows >= 16 ? 4 : 3
            layout.pane = last - height..<last
            last -= height + 1
            layout.separator = last
        }
        layout.list = first..<last

        layout.indentation = list.rows.contains { if case .heading = $0 { true } else { false } } ? 3 : 1
        let source = columns >= 60 ? 20 : columns >= 40 ? 10 : 0
        layout.source = max(0, columns - source)..<columns
        let end = source > 0 ? columns - source - 2 : columns
        // Names take less than half of the width, except on a very narrow screen.
        let room = max(1, end - layout.indentation - 2)
        let nameWidth = max(1, min(list.nameColumns, max(room * 45 / 100, min(8, room / 2))))
        let nameEnd = min(columns, layout.indentation + nameWidth)
        layout.name = min(layout.indentation, nameEnd)..<nameEnd
        let value = min(nameEnd + 2, max(nameEnd, end))
        layout.value = value..<max(value, end)
        return layout
    }
}
