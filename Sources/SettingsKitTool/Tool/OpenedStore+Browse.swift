import SettingsCommandLine
import SettingsKit
import SettingsKitTerminal

// All that a store holds, for the terminal view: values without types.
extension OpenedStore {
    package var title: String { description }

    package func items() throws -> [BrowserItem] { try names().compactMap(item) }

    package func item(named name: String) throws -> BrowserItem? {
        try value(named: name).map { value in
            // The list does not show types, and every value has the same source, the store.
            BrowserItem(
                name: name, text: value.summary(columns: ToolLimits.previewColumns), source: value.kind.rawValue,
                isSet: true)
        }
    }

    package func detail(of name: String) -> BrowserDetail? {
        var detail = BrowserDetail(name: name, description: "", text: "")
        do {
            guard let value = try value(named: name) else { return nil }
            let summary = value.summary(columns: ToolLimits.previewColumns)
            detail.description = "Stored as \(value.kind.rawValue), \(value.size)."
            detail.text = value.data.count > ToolLimits.shownText ? summary : value.text
            detail.layers = [.init(name: "store", text: summary, isInForce: true)]
            detail.stored = value.data
            // A longer text does not fit into an editor, so it is not converted.
            detail.editableText =
                value.data.count > 2 * TerminalLimits.editedText
                ? String(repeating: " ", count: TerminalLimits.editedText + 1) : value.text
            detail.choices = value.kind == .boolean ? ["false", "true"] : []
        } catch {
            detail.problem = "\(error)"
            detail.refusal = "\(error)"
        }
        return detail
    }

    package func write(_ write: BrowserWrite) -> BrowserWrite.Outcome {
        do {
            var data: Data?
            switch write.content {
            case .stored(let stored): data = stored
            case .text(let text):
                let basis = write.basis.map(UntypedValue.init)
                do throws(CommandFailure) {
                    data = try UntypedValue.data(of: text, as: .kept, replacing: basis, name: write.name)
                } catch {
                    let kind = basis?.kind.rawValue ?? "JSON"
                    return .refused(
                        "\(write.name): Not stored. The stored value is of the kind \(kind), and the text is not. The "
                            + "subcommand set can change the kind.")
                }
            }
            let key = OpenedStore.key(write.name)
            let batch = SettingsStoreBatch(
                writes: [.init(key: key, data: data)], expectations: [.init(key: key, data: write.expected)])
            if try store.apply(batch) {
                return .stored(BrowserChange(name: write.name, before: write.expected, after: data))
            }
            return .changedMeanwhile(try self.data(named: write.name))
        } catch {
            return .refused("\(write.name): \(error)")
        }
    }

    package func bringUpToDate() throws { try store.bringUpToDate() }

    package func observe(
        _ body: @escaping @Sendable (_ names: [String], SettingsService.Origin) -> Void
    ) -> [SettingsService.Subscription] {
        guard let feed = store.feed else { return [] }
        return [feed.observe { changes, origin in body(changes.map(\.name), origin) }]
    }
}
