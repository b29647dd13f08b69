// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SettingsKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SettingsKit", targets: ["SettingsKit"]),
        .library(name: "SettingsTestKit", targets: ["SettingsTestKit"]),
    ],
    dependencies: [],
    targets: [
        .target(name: "SettingsCore"),
        .target(name: "SettingsFiles", dependencies: ["SettingsCore"]),
        .target(name: "SettingsKit", dependencies: ["SettingsCore", "SettingsFiles"]),
        .target(name: "SettingsTestKit", dependencies: ["SettingsCore", "SettingsFiles"]),
        .executableTarget(
            name: "settings-benchmarks", dependencies: ["SettingsKit"], path: "Sources/SettingsBenchmarks"),
        .executableTarget(name: "QuickStart", dependencies: ["SettingsKit"], path: "Examples/QuickStart"),
        .executableTarget(
            name: "ImportedPreferences", dependencies: ["SettingsKit"], path: "Examples/ImportedPreferences",
            resources: [.copy("Resources/com.apple.TextEdit.plist")]),
        .executableTarget(name: "TwoProcesses", dependencies: ["SettingsKit"], path: "Examples/TwoProcesses"),
        .executableTarget(name: "Surfaces", dependencies: ["SettingsKit"], path: "Examples/Surfaces"),
        .executableTarget(name: "SharedFolder", dependencies: ["SettingsKit"], path: "Examples/SharedFolder"),
        .executableTarget(
            name: "settings-test-worker", dependencies: ["SettingsCore", "SettingsFiles"],
            path: "Tests/SettingsTestWorker"),
        .testTarget(name: "SettingsCoreTests", dependencies: ["SettingsCore", "SettingsTestKit"]),
        .testTarget(
            name: "SettingsFilesTests", dependencies: ["SettingsFiles", "SettingsTestKit", "settings-test-worker"]),
        .testTarget(
            name: "SettingsTestKitTests", dependencies: ["SettingsCore", "SettingsFiles", "SettingsTestKit"]),
        .testTarget(name: "SettingsKitTests", dependencies: ["SettingsKit", "SettingsTestKit"]),
    ],
    swiftLanguageModes: [.v6]
)
