#if os(macOS)
    import AppKit
    import SettingsKit
    import SwiftUI
    import Testing

    // What only a Mac can show; `.ci/apple` checks this file. It has not run yet.

    extension SettingsService.SettingDefinition {
        fileprivate static let volume = Setting<Double>(
            "volume", in: .defaults, default: 0.5, validation: .range(0...1), help: "How loud to *play*.")
        fileprivate static let port = Setting<Int>("port", in: .defaults, default: 8080, validation: .range(1...65_535))
    }

    /// A view as people write it over a value that is kept up to date.
    private struct LiveSlider: View {
        @State private var volume: SettingsService.Value<Double>

        init(settings: SettingsService) {
            _volume = State(initialValue: settings.value(.volume))
        }

        var body: some View {
            Slider(value: volume.binding, in: 0...1) { Text(verbatim: "Volume") }
        }
    }

    @Suite("A settings form in a window of a Mac", .serialized)
    @MainActor struct FormHostTests {
        private let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)

        /// A window with a form, and the form's view.
        private func show() -> (window: NSWindow, content: NSView) {
            _ = NSApplication.shared
            let catalogue = SettingsCatalogue("Player", [SettingsGroup("Sound", [.volume, .port])])
            let form = SettingsForm(catalogue, isSearchable: false).settingsService(settings)
            let controller = NSHostingController(rootView: form)
            let window = NSWindow(contentViewController: controller)
            window.setContentSize(NSSize(width: 500, height: 500))
            window.layoutIfNeeded()
            return (window, controller.view)
        }

        /// All texts that assistive technologies find.
        private func texts(_ children: [Any]?) -> [String] {
            (children ?? []).flatMap { child -> [String] in
                guard let element = child as? any NSAccessibilityProtocol else { return [] }
                let own = [
                    element.accessibilityLabel(), element.accessibilityTitle(), element.accessibilityHelp(),
                    element.accessibilityValue().map { "\($0)" },
                ]
                return own.compactMap { $0 } + texts(element.accessibilityChildren())
            }
        }

        private func fields(in view: NSView) -> [NSTextField] {
            view.subviews.flatMap { ($0 as? NSTextField).map { [$0] } ?? fields(in: $0) }
        }

        private func until(_ condition: () -> Bool) async throws {
            let deadline = ContinuousClock.now + .seconds(30)
            while !condition(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
            try #require(condition(), "waited in vain")
        }

        @Test("Controls have labels, values and hints, and a filled field keeps its title")
        func accessibility() async throws {
            let (window, content) = show()
            defer { window.close() }
            try await until { texts(content.accessibilityChildren()).contains("Port") }
            let found = texts(content.accessibilityChildren())
            for text in ["Volume", "0.5", "How loud to *play*.", "8080"] { #expect(found.contains(text), "\(text)") }
        }

        @Test("A field stores its text when it loses the focus")
        func focus() async throws {
            let (window, content) = show()
            defer { window.close() }
            try await until { !fields(in: content).isEmpty }
            let field = fields(in: content)[0]
            #expect(window.makeFirstResponder(field))
            let editor = try #require(field.currentEditor() as? NSTextView)
            editor.selectAll(nil)
            editor.insertText("81", replacementRange: NSRange(location: 0, length: 4))
            window.makeFirstResponder(nil)
            try await until { settings.get(.port) == 81 }
        }
    }
#endif
