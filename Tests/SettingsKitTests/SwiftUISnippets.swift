#if canImport(SwiftUI)
    import SettingsKit
    import SwiftUI

    // The Swift snippets of articles with views, as compiled code; see DocumentationSnippetTests.swift. Where there is no SwiftUI,
    // `.ci/apple` checks this file.

    extension SettingsService.SettingDefinition {
        fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5)
    }

    private struct VolumeSlider: View {
        @SettingValue(.volume) private var volume

        var body: some View {
            Slider(value: $volume, in: 0...1) { Text("Volume") }
        }
    }

    private struct SettingsScreen: View {
        let settings: SettingsService

        var body: some View {
            SettingsForm(
                SettingsCatalogue("Player") {
                    SettingsGroup("Sound", [.volume])
                }
            )
            .settingsService(settings)
        }
    }

    @MainActor private func preview() -> some View {
        VolumeSlider().settingsOverriding { $0[.volume] = 0.25 }
    }

    private struct LiveSlider: View {
        @State private var volume: SettingsService.Value<Double>

        init(settings: SettingsService) {
            _volume = State(initialValue: settings.value(.volume))
        }

        var body: some View {
            Slider(value: volume.binding, in: 0...1) { Text("Volume") }
        }
    }

    // MARK: SnapSettingsService

    extension SettingsService.SettingDefinition {
        fileprivate static let exampleNumber = Setting<Int>(
            "ExampleNumber", in: .defaults, default: 1)
        fileprivate static let isExampleOn = Setting<Bool>(
            "ExampleSwitch", in: .shared, default: false)
    }

    private let settings = SettingsService(
        defaults: UserDefaultsStore.standard,
        shared: UbiquitousStore.standard)

    private struct ExampleView: View {
        @SettingValue(.isExampleOn) private var isOn

        var body: some View {
            Toggle("Example", isOn: $isOn)
        }
    }

    @MainActor private func exampleRoot() -> some View {
        ExampleView().settingsService(settings)
    }

    private func settingsOfGroup(_ group: String) throws -> SettingsService {
        let settings = SettingsService(
            defaults: try PropertyListStore(appGroup: group),
            shared: UbiquitousStore.standard,
            storesForCustomScopes: [
                .custom(id: "old"): UserDefaultsStore.standard
            ])
        try settings.migrate([
            .move(.exampleNumber, from: .custom(id: "old"))
        ])
        return settings
    }

    private func settingsOfWidget(_ group: String) throws -> SettingsService {
        SettingsService(
            defaults: try PropertyListStore(
                appGroup: group, access: .readOnly))
    }
#endif
