import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension SettingsService.Scope {
    static let fleet = SettingsService.Scope.custom(id: "fleet")
}

func fleetKey(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .fleet) }

extension SettingsService {
    /// A service over a store in the scope `fleet`.
    static func fleet(_ store: any SettingsStore, _ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(
            stores: [.fleet: store], diagnosticSink: DiagnosticSink { problems?.append($0) })
    }
}

extension EtcdStore {
    func text(_ name: String) -> String? { get(fleetKey(name)).map { String(decoding: $0, as: UTF8.self) } }

    func put(_ name: String, _ text: String?) throws { try set(fleetKey(name), to: text.map { Data($0.utf8) }) }

    /// Stores and waits for agreement.
    func save(_ name: String, _ text: String?) throws {
        let entry = SettingsStoreBatch.Entry(key: fleetKey(name), data: text.map { Data($0.utf8) })
        _ = try apply(SettingsStoreBatch(writes: [entry]))
    }
}

/// A cluster, and stores on it whose local files are in one directory.
struct Fleet: Sendable {
    let server: EtcdServer
    let directory: String

    static func with(
        _ count: Int = 1, _ body: (Fleet) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try EtcdServer(count, in: directory)
            defer { for index in 0..<count { server.kill(index) } }
            try await body(Fleet(server: server, directory: directory))
        }
    }

    /// Calls `body` with a cluster of one member, a proxy before it, and a store that uses the proxy.
    static func withProxy(
        _ change: (inout EtcdStore.Options) -> Void = { _ in },
        _ body: (Fleet, FaultyProxy, EtcdStore) async throws -> Void
    ) async throws {
        try await with { fleet in
            let proxy = try FaultyProxy(to: fleet.server.ports[0])
            defer { proxy.close() }
            try await body(fleet, proxy, try fleet.store(endpoints: [proxy.endpoint], change))
        }
    }

    var stateFolder: URL { URL(fileURLWithPath: directory + "/state") }

    func store(
        _ prefix: String = "test/", endpoints: [String]? = nil, state: String = "state",
        _ change: (inout EtcdStore.Options) -> Void = { _ in }
    ) throws -> EtcdStore {
        var options = EtcdStore.Options()
        change(&options)
        return try EtcdStore(
            endpoints: endpoints ?? server.endpoints, prefix: prefix,
            state: URL(fileURLWithPath: directory + "/" + state), options: options)
    }
}

/// The tests that need etcd, which are skipped where it is not installed.
@Suite(
    "With a real etcd", .ownThreads, .serialized, .enabled(if: EtcdServer.isInstalled, "etcd is not installed"))
struct WithEtcd {}

/// Those of them that wait for time-outs most of the time. They run beside the others.
@Suite(
    "With a real etcd and its time-outs", .ownThreads, .serialized,
    .enabled(if: EtcdServer.isInstalled, "etcd is not installed"))
struct WithSlowEtcd {}
