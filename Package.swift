// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SettingsKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SettingsKit", targets: ["SettingsKit"]),
        .library(name: "SettingsSQLite", targets: ["SettingsSQLite"]),
        .library(name: "SettingsTestKit", targets: ["SettingsTestKit"]),
    ],
    dependencies: [],
    targets: [
        .target(name: "SettingsCore"),
        .target(name: "SettingsFiles", dependencies: ["SettingsCore"]),
        .target(
            name: "CSettingsKitSQLite",
            linkerSettings: [
                // The library itself: the name without a version comes with the headers, which are not everywhere.
                .linkedLibrary(":libsqlite3.so.0", .when(platforms: [.linux])),
                .linkedLibrary("sqlite3", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
            ]),
        // SettingsFiles for what every file needs that several processes use: watching, paths, forks.
        .target(name: "SettingsSQLite", dependencies: ["SettingsCore", "SettingsFiles", "CSettingsKitSQLite"]),
        .target(name: "SettingsKit", dependencies: ["SettingsCore", "SettingsFiles"]),
        .target(name: "SettingsTestKit", dependencies: ["SettingsCore", "SettingsFiles"]),
        .executableTarget(
            name: "settings-benchmarks", dependencies: ["SettingsKit", "SettingsSQLite", "CSettingsKitSQLite"],
            path: "Sources/SettingsBenchmarks"),
        .executableTarget(name: "QuickStart", dependencies: ["SettingsKit"], path: "Examples/QuickStart"),
        .executableTarget(
            name: "ImportedPreferences", dependencies: ["SettingsKit"], path: "Examples/ImportedPreferences",
            resources: [.copy("Resources/com.apple.TextEdit.plist")]),
        .executableTarget(name: "TwoProcesses", dependencies: ["SettingsKit"], path: "Examples/TwoProcesses"),
        .executableTarget(name: "Surfaces", dependencies: ["SettingsKit"], path: "Examples/Surfaces"),
        .executableTarget(name: "SharedFolder", dependencies: ["SettingsKit"], path: "Examples/SharedFolder"),
        .executableTarget(
            name: "Vault", dependencies: ["SettingsKit", "SettingsSQLite"], path: "Examples/Vault"),
        .executableTarget(
            name: "settings-test-worker", dependencies: ["SettingsCore", "SettingsFiles", "SettingsSQLite"],
            path: "Tests/SettingsTestWorker"),
        // What the tests of several targets use. No product.
        .target(name: "CSettingsTestSupport", path: "Tests/CSettingsTestSupport"),
        .target(
            name: "SettingsTestSupport", dependencies: ["CSettingsTestSupport", "SettingsCore"],
            path: "Tests/SettingsTestSupport"),
        .testTarget(
            name: "SettingsCoreTests", dependencies: ["SettingsCore", "SettingsTestKit", "SettingsTestSupport"]),
        .testTarget(
            name: "SettingsFilesTests",
            dependencies: ["SettingsFiles", "SettingsTestKit", "SettingsTestSupport", "settings-test-worker"]),
        .testTarget(
            name: "SettingsSQLiteTests",
            dependencies: [
                "SettingsSQLite", "CSettingsKitSQLite", "SettingsKit", "SettingsTestKit", "SettingsTestSupport",
                "settings-test-worker",
            ]),
        .testTarget(
            name: "SettingsTestKitTests",
            dependencies: ["SettingsCore", "SettingsFiles", "SettingsTestKit", "SettingsTestSupport"]),
        .testTarget(
            name: "SettingsKitTests",
            dependencies: ["SettingsKit", "SettingsSQLite", "SettingsTestKit", "SettingsTestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
