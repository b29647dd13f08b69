import Foundation
import SettingsKit
import SettingsTestSupport

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

/// The terminal view over settings in memory, without a terminal.
struct TestBrowser {
    /// Settings that hold numbers; other texts are refused. Settings that begin with `locked` are locked.
    final class Settings: BrowsedSettings {
        struct State {
            var stored: [String: Data] = [:]
            /// The names that were written to, with what was stored before and since.
            var writes: [BrowserChange] = []
        }

        let state = Box(State())
        let title = "Test"
        let group: String?
        /// The names of settings that are there whether or not something is stored.
        let names: [String]

        init(_ values: [String: String], names: [String] = [], group: String? = nil) {
            state.value.stored = values.mapValues { Data($0.utf8) }
            self.names = names
            self.group = group
        }

        func items() -> [BrowserItem] { Set(names + state.value.stored.keys).sorted().compactMap(item) }

        func item(named name: String) -> BrowserItem? {
            let data = state.value.stored[name]
            if data == nil, !names.contains(name) { return nil }
            return BrowserItem(
                name: name, group: group, text: text(data), source: data == nil ? "default" : "store",
                isDefault: data == nil, isLocked: name.hasPrefix("locked"), isSet: data != nil)
        }

        private func text(_ data: Data?) -> String { data.map { String(decoding: $0, as: UTF8.self) } ?? "0" }

        func detail(of name: String) -> BrowserDetail? {
            guard let item = item(named: name) else { return nil }
            var detail = BrowserDetail(name: name, description: "A number.", text: item.text)
            detail.layers = [
                .init(name: "store", text: item.isSet ? item.text : nil, remark: "in force", isInForce: true)
            ]
            detail.stored = state.value.stored[name]
            detail.editableText = item.text
            if item.isLocked { detail.refusal = "\(name) is locked by the layer managed." }
            if name.hasPrefix("choice") { detail.choices = ["1", "2", "3"] }
            detail.isSecret = name.hasPrefix("secret")
            if detail.isSecret { detail.editableText = "" }
            return detail
        }

        func write(_ write: BrowserWrite) -> BrowserWrite.Outcome {
            let before = state.value.stored[write.name]
            if before != write.expected { return .changedMeanwhile(before) }
            switch write.content {
            case .text(let text):
                guard Double(text) != nil else { return .refused("\(write.name): Not stored. Expected a number.") }
                state.value.stored[write.name] = Data(text.utf8)
            case .stored(let data): state.value.stored[write.name] = data
            }
            let change = BrowserChange(name: write.name, before: before, after: state.value.stored[write.name])
            state.value.writes.append(change)
            return .stored(change)
        }

        func bringUpToDate() {}

        func observe(
            _ body: @escaping @Sendable ([String], SettingsService.Origin) -> Void
        ) -> [SettingsService.Subscription] { [] }
    }

    let settings: Settings
    var state: BrowserState
    private(set) var hasQuit = false

    init(_ settings: Settings, columns: Int = 80, rows: Int = 24) {
        self.settings = settings
        state = BrowserState(title: settings.title, items: settings.items(), columns: columns, rows: rows)
        send(.resized(columns: columns, rows: rows))
    }

    init(_ values: [String: String], names: [String] = []) { self.init(Settings(values, names: names)) }

    /// Sends an event, and carries out what it asks for.
    mutating func send(_ event: BrowserState.Event) {
        for effect in state.handle(event) {
            switch effect {
            case .load(let name): send(.loaded(settings.detail(of: name)))
            case .refresh(let name): refresh(name, isExternal: false)
            case .write(let write): send(.wrote(write, settings.write(write)))
            case .redraw: break
            case .quit: hasQuit = true
            }
        }
    }

    mutating func press(_ keys: Key...) { for key in keys { send(.key(key)) } }

    mutating func type(_ text: String) { for scalar in text.unicodeScalars { press(.scalar(scalar)) } }

    private mutating func refresh(_ name: String, isExternal: Bool) {
        send(.refreshed([(name, settings.item(named: name))], isExternal: isExternal))
    }

    /// Changes a setting as another process does.
    mutating func change(_ name: String, to text: String?) {
        settings.state.value.stored[name] = text.map { Data($0.utf8) }
        refresh(name, isExternal: true)
    }

    subscript(_ name: String) -> String? {
        settings.state.value.stored[name].map { String(decoding: $0, as: UTF8.self) }
    }

    /// The rows of the screen.
    var rows: [String] {
        let screen = state.screen()
        return (0..<screen.rows).map { screen.text(ofRow: $0) }
    }

    var text: String { rows.joined(separator: "\n") }
    var message: String { state.message?.text ?? "" }
    var selected: String? { state.list.selected?.name }

    /// The text that is being edited; nil if none is.
    var edited: String? {
        if case .editing(let edit) = state.mode { return edit.editor.text }
        return nil
    }

    /// The question that is asked; nil if none is.
    var question: String? {
        if case .confirming(let confirmation) = state.mode { return confirmation.question }
        return nil
    }
}
