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
#endif
