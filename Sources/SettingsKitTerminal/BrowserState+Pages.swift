import SettingsKit

/// The texts of several lines: the details of a setting, and the help.
extension BrowserState {
    /// A line, in parts of different styles.
    typealias Line = [(text: String, style: TextStyle)]

    /// The lines of a page that fills the screen.
    func lines(of page: Page) -> [Line] {
        switch page {
        case .help: helpLines
        case .detail: detail.map { lines(of: $0, isWhole: true) } ?? []
        }
    }

    /// The details of a setting.
    ///
    /// - Parameter isWhole: Whether to include everything, in as many lines as needed; otherwise the beginning of each part.
    func lines(of detail: BrowserDetail, isWhole: Bool) -> [Line] {
        let width = max(1, columns - 2)
        func wrapped(_ text: String, _ style: TextStyle = .plain, limit: Int) -> [Line] {
            // Wrapping takes time in proportion to the text, of which only one line may be visible.
            let text = TextLayout.escaped(isWhole ? text : String(text.prefix(width * limit)))
            return TextLayout.wrapped(text, to: width).prefix(isWhole ? .max : limit).map { [($0, style)] }
        }
        var lines = wrapped(detail.name, .bold, limit: 1)
        if isWhole { lines.append([]) }
        if let problem = detail.problem {
            lines += wrapped(problem, .colored(.red), limit: 2)
            if isWhole { lines.append([]) }
        }
        lines += wrapped(detail.description, limit: detail.problem == nil ? 2 : 1)
        if isWhole {
            lines.append([])
            lines += valueLines(detail.text, width: width) + [[]]
        }
        // Without room, layers without a value are left out.
        let layers = isWhole ? detail.layers : detail.layers.filter { $0.text != nil }
        let nameWidth = layers.map { TextLayout.columns(TextLayout.escaped($0.name)) }.max() ?? 0
        for layer in layers {
            let name = TextLayout.padded(TextLayout.escaped(layer.name), to: nameWidth) + "  "
            let remarks = [layer.location ?? "", layer.remark].filter { !$0.isEmpty }
            let remark = remarks.map { "  " + TextLayout.escaped($0) }.joined()
            let room = max(1, width - TextLayout.columns(name) - TextLayout.columns(remark))
            let text = layer.text.map { $0.isEmpty ? "(empty)" : String($0.prefix(width)) } ?? "–"
            lines.append([
                (name, .dim),
                (TextLayout.truncated(TextLayout.escaped(text), to: room), layer.isInForce ? .bold : .plain),
                (remark, layer.isInForce ? .colored(.green) : .dim),
            ])
        }
        if let refusal = detail.refusal, isWhole { lines += [[]] + wrapped(refusal, .colored(.yellow), limit: 2) }
        return lines
    }

    /// The whole value, with its own lines.
    private func valueLines(_ text: String, width: Int) -> [Line] {
        if text.isEmpty { return [[("(empty)", .dim)]] }
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [Line] in
            // Lines break at the edge and not at spaces, so that every space is visible.
            var lines: [Line] = []
            var part = ""
            var usedColumns = 0
            for character in TextLayout.escaped(String(line)) {
                let columns = TextLayout.columns(String(character))
                if usedColumns + columns > width {
                    lines.append([(part, .plain)])
                    (part, usedColumns) = ("", 0)
                }
                part.append(character)
                usedColumns += columns
            }
            return lines + [[(part, .plain)]]
        }
    }

    private var helpLines: [Line] {
        let terms: [(String, String)] = [
            ("Up, Down, k, j", "select a setting; also Page Up, Page Down, Home, End"),
            ("Enter", "edit the value; Enter stores it, Esc leaves it"),
            ("Tab", "in an edit: the next of a few possible values"),
            ("Space", "store the next of a few possible values, such as true and false"),
            ("Alt-Enter", "in an edit: a line break"),
            ("d, Delete", "delete the stored value, so that the next layer or the default counts"),
            ("u", "undo the last change that was made here, as often as there are any"),
            ("/", "search names, values, groups and descriptions; Esc shows all again"),
            ("v", "view the whole value and what each layer holds"),
            ("Ctrl-L", "draw the screen again"),
            ("q", "quit; all changes are stored already"),
        ]
        let marks: [(String, String)] = [
            ("*", "was changed outside of this view"), ("!", "has a stored value that is not used"),
            ("locked", "a layer above the one that is written to has the value; change it there"),
        ]
        return described("Keys", terms) + [[]] + described("Marks", marks)
    }

    private func described(_ title: String, _ terms: [(String, String)]) -> [Line] {
        let indentation = columns >= 40 ? 16 : 0
        var lines: [Line] = [[(title, .bold)]]
        for (term, description) in terms {
            var wrapped = TextLayout.wrapped(description, to: max(1, columns - 2 - indentation))[...]
            if indentation == 0 {
                lines.append([(term, .bold)])
            } else {
                lines.append([
                    (TextLayout.padded(term, to: indentation), .bold), (wrapped.popFirst() ?? "", .plain),
                ])
            }
            for line in wrapped { lines.append([(String(repeating: " ", count: indentation) + line, .plain)]) }
        }
        return lines
    }
}
