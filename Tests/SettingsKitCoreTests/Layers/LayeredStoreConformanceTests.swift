import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

@Suite("Conformance of LayeredStore", .ownThreads)
struct LayeredStoreConformanceTests {
    /// What stands around the writable layer.
    enum Shape: String, CaseIterable, CustomTestStringConvertible {
        case alone, withEmptyLayers, withText, overLayersWithoutFeed

        var testDescription: String { rawValue }

        func layers(around store: any SettingsStore) -> [LayeredStore.Layer] {
            switch self {
            case .alone: [.writable(store)]
            case .withEmptyLayers:
                [
                    .locked(MemoryStore(), name: "managed"), .arguments([]), .environment(prefix: "P_", [:]),
                    .writable(store), .fallback(MemoryStore(), name: "system"),
                ]
            case .withText:
                [
                    .arguments(["--unrelated", "1"]), .environment(prefix: "", ["UNRELATED": "1"]), .writable(store),
                ]
            case .overLayersWithoutFeed:
                [
                    .locked(CacheStore(), name: "managed"), .writable(store),
                    .fallback(TwoFunctionStore(), name: "system"),
                ]
            }
        }
    }

    @Test("LayeredStore keeps the contract of a store", arguments: Shape.allCases, StoreKind.allCases)
    func conformance(shape: Shape, kind: StoreKind) async throws {
        let report = await StoreConformance { try LayeredStore(shape.layers(around: kind.make())) }.run()
        #expect(report.failures.isEmpty, "\(report)")
    }
}
