// swift-tools-version: 6.2

import PackageDescription

// Apple's systems read it, of each target whose code needs one: products that have the target carry it. Elsewhere it would bring
// a Foundation bundle into every program.
#if os(macOS)
    let privacyManifest: (exclude: [String], resources: [Resource]) = ([], [.copy("PrivacyInfo.xcprivacy")])
#else
    let privacyManifest: (exclude: [String], resources: [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#endif

let package = Package(
    name: "SettingsKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SettingsKit", targets: ["SettingsKit"]),
        .library(name: "SettingsKitUserDefaults", targets: ["SettingsKitUserDefaults"]),
        .library(name: "SettingsSQLite", targets: ["SettingsSQLite"]),
        .library(name: "SettingsEtcd", targets: ["SettingsEtcd"]),
        .library(name: "SettingsCommandLine", targets: ["SettingsCommandLine"]),
        .executable(name: "settings", targets: ["settings"]),
        .library(name: "SettingsTestKit", targets: ["SettingsTestKit"]),
    ],
    dependencies: [],
    targets: [
        .target(name: "SettingsKitCore"),
        .target(
            name: "SettingsKitPlatform", dependencies: ["SettingsKitCore"], exclude: privacyManifest.exclude,
            resources: privacyManifest.resources),
        .target(name: "SettingsKitFiles", dependencies: ["SettingsKitCore", "SettingsKitPlatform"]),
        .target(
            name: "CSettingsKitSQLite",
            linkerSettings: [
                // The library itself: the name without a version comes with the headers, which are not everywhere.
                .linkedLibrary(":libsqlite3.so.0", .when(platforms: [.linux])),
                .linkedLibrary(
                    "sqlite3", .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS])),
            ]),
        .target(
            name: "SettingsSQLite", dependencies: ["SettingsKitCore", "SettingsKitPlatform", "CSettingsKitSQLite"]),
        // Loads the library when the first store is opened.
        .target(name: "CSettingsKitCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "SettingsEtcd",
            dependencies: [
                "SettingsKitCore", "SettingsKitPlatform", "SettingsKitFiles",
                .target(name: "CSettingsKitCurl", condition: .when(platforms: [.linux])),
            ]),
        .target(
            name: "SettingsKitUserDefaults",
            dependencies: ["SettingsKitCore", "SettingsKitFiles", "SettingsKitPlatform"],
            exclude: privacyManifest.exclude, resources: privacyManifest.resources),
        // On Linux without Foundation, of which FoundationEssentials is a small part.
        .target(
            name: "SettingsKit",
            dependencies: [
                "SettingsKitCore", "SettingsKitFiles", "SettingsKitPlatform",
                .target(
                    name: "SettingsKitUserDefaults",
                    condition: .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS])),
            ]),
        .target(name: "SettingsCommandLine", dependencies: ["SettingsKit"]),
        .executableTarget(
            name: "settings", dependencies: ["SettingsCommandLine", "SettingsKit", "SettingsSQLite", "SettingsEtcd"]),
        .target(name: "SettingsTestKit", dependencies: ["SettingsKitCore"]),
        .executableTarget(
            name: "settings-benchmarks",
            dependencies: ["SettingsKit", "SettingsKitPlatform", "SettingsSQLite", "CSettingsKitSQLite"],
            path: "Sources/SettingsBenchmarks", exclude: ["Baseline.json"]),
        .executableTarget(
            name: "QuickStart", dependencies: ["SettingsKit"], path: "Examples/QuickStart", exclude: ["Transcript.txt"]),
        .executableTarget(
            name: "TwoProcesses", dependencies: ["SettingsKit"], path: "Examples/TwoProcesses",
            exclude: ["Transcript.txt"]),
        .executableTarget(
            name: "SharedFolder", dependencies: ["SettingsKit"], path: "Examples/SharedFolder",
            exclude: ["Transcript.txt"]),
        .executableTarget(
            name: "Vault", dependencies: ["SettingsKit", "SettingsSQLite"], path: "Examples/Vault",
            exclude: ["Transcript.txt"]),
        .executableTarget(
            name: "Fleet", dependencies: ["SettingsKit", "SettingsEtcd"], path: "Examples/Fleet",
            exclude: ["Transcript.txt"]),
        .executableTarget(
            name: "Server", dependencies: ["SettingsKit"], path: "Examples/Server", exclude: ["Transcript.txt"]),
        .executableTarget(
            name: "Player", dependencies: ["SettingsCommandLine", "SettingsKit"], path: "Examples/Player",
            exclude: ["Transcript.txt"]),
        .executableTarget(
            name: "settings-test-worker",
            dependencies: [
                "SettingsKitCore", "SettingsKitPlatform", "SettingsKitFiles", "SettingsSQLite", "SettingsEtcd",
                "SettingsTestKit",
            ],
            path: "Tests/SettingsTestWorker"),
        // What the tests of several targets use. No product.
        .target(name: "CSettingsTestSupport", path: "Tests/CSettingsTestSupport"),
        .target(
            name: "SettingsTestSupport",
            dependencies: [
                "CSettingsKitSQLite", "CSettingsTestSupport", "SettingsKitCore", "SettingsKitPlatform",
                "SettingsKitFiles", "SettingsTestKit",
            ],
            path: "Tests/SettingsTestSupport"),
        .testTarget(
            name: "SettingsKitCoreTests", dependencies: ["SettingsKitCore", "SettingsTestKit", "SettingsTestSupport"]),
        .testTarget(
            name: "SettingsKitPlatformTests",
            dependencies: ["SettingsKitCore", "SettingsKitPlatform", "SettingsTestSupport"]),
        .testTarget(
            name: "SettingsKitFilesTests",
            dependencies: [
                "SettingsKitFiles", "SettingsKitPlatform", "SettingsTestKit", "SettingsTestSupport",
                "settings-test-worker",
            ]),
        .testTarget(
            name: "SettingsSQLiteTests",
            dependencies: [
                "SettingsSQLite", "CSettingsKitSQLite", "SettingsKit", "SettingsTestKit", "SettingsTestSupport",
                "settings-test-worker",
            ]),
        .testTarget(
            name: "SettingsEtcdTests",
            dependencies: [
                "SettingsEtcd", "SettingsKit", "SettingsTestKit", "SettingsTestSupport", "settings",
                "settings-test-worker",
            ]),
        // With the suites that run over each store.
        .testTarget(
            name: "SettingsTestKitTests",
            dependencies: [
                "SettingsKitFiles", "SettingsKitPlatform", "SettingsSQLite", "SettingsTestKit", "SettingsTestSupport",
                "settings-test-worker",
            ]),
        // The plugin adds the code of each guide, together with the tests in the file of its name in Guides.
        .testTarget(
            name: "SettingsKitTests",
            dependencies: [
                "SettingsCommandLine", "SettingsEtcd", "SettingsKit", "SettingsKitUserDefaults", "SettingsSQLite",
                "SettingsTestKit", "SettingsTestSupport",
            ],
            exclude: ["Guides"], plugins: ["GuideCode"]),
        // As a new project of Xcode.
        .testTarget(
            name: "SettingsMainActorTests", dependencies: ["SettingsKit"],
            swiftSettings: [
                .defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .plugin(
            name: "GuideCode", capability: .buildTool(), dependencies: ["settings-guide-code"],
            path: "Tests/GuideCodePlugin"),
        .executableTarget(name: "settings-guide-code", path: "Tests/SettingsGuideCode"),
        .testTarget(
            name: "SettingsCommandLineTests",
            dependencies: [
                "SettingsCommandLine", "SettingsKit", "SettingsSQLite", "SettingsTestKit", "SettingsTestSupport",
                "settings", "Player",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
