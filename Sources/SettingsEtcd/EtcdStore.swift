import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps settings in an etcd cluster, which many machines share and agree on.
///
/// ```swift
/// let fleet = try EtcdStore(endpoints: ["https://etcd-1:2379", "https://etcd-2:2379"], prefix: "fleet/player/")
/// let settings = SettingsService(storesForCustomScopes: [.custom(id: "fleet"): fleet])
/// ```
///
/// The name of a setting follows the prefix, and the value is JSON, so that etcd's own tools read and write it:
///
/// ```
/// $ etcdctl put fleet/player/volume 0.5
/// $ etcdctl get --prefix fleet/player/
/// ```
///
/// The prefix is read once and then watched, so `get` takes constant time and uses no network, and a change that any program
/// makes is seen within milliseconds.
///
/// ## What a write guarantees
/// - `set`, `save`, `update` and transactions return when most members of the cluster have agreed. Each is one transaction of the
///   cluster, which is carried out once or not at all, and `update` and transactions are atomic across machines.
/// - Otherwise the old value stays, within ``Options/patience``. `set` reports and the others throw `clusterUnreachable`, or a code
///   that names the cause, if nothing was written; and `outcomeUnknown` if the answer was lost, and the cluster could not be asked
///   in time. Nothing is sent later.
/// - After `clusterUnreachable`, a `set` fails at once until the store is connected again. All others wait.
/// - After ``synchronize()``, this process sees all that the cluster held at some moment during the call.
///
/// ## Without the cluster
/// A store that cannot reach the cluster begins with the last known values of a file, reports `clusterUnreachable`, and
/// catches up by itself. Reading never waits.
///
/// ## Limits
/// A transaction takes 127 settings and 1.5 MB. All values under the prefix are in memory, at most 256 MB.
///
/// Writes use a key under `settingskit.clients/`, which ends some time after the client: a user of a cluster with authentication
/// needs the right to read and write keys with that prefix and the store's.
///
/// All functions may be called from any thread.
public final class EtcdStore: SettingsStore {
    let cluster: EtcdCluster

    /// Opens a prefix of a cluster, and reads it.
    ///
    /// If the cluster cannot be reached now, the store begins with its last known values.
    ///
    /// - Parameters:
    ///   - endpoints: The addresses of the cluster's members, such as `https://etcd-1:2379`. One is enough. With several,
    ///     stores spread evenly over the members: each begins with any of them, and goes on with another one if that fails.
    ///   - prefix: What the keys of the settings begin with, such as `fleet/player/`. Not empty.
    ///   - state: The folder of the file with the last known values; created if it is missing. Nil for `Etcd` in the program's own
    ///     folder: in `$XDG_STATE_HOME` or `~/.local/state` on Linux, in Application Support on Apple platforms. The file is not
    ///     used with other addresses, so two clusters in which a program uses the same prefix need two folders.
    ///   - options: Certificates, the user, how long to wait, and more.
    /// - Throws: `SettingsError` with the code `unusableEndpoint`, `libraryUnavailable`, `storeUnavailable` if a certificate cannot
    ///   be read, or `memoryOnly` if `state` is nil and there is no home directory.
    public convenience init(
        endpoints: [String], prefix: String, state: URL? = nil, options: Options = Options()
    ) throws {
        let transport: any GatewayTransport
        #if canImport(Darwin)
            transport = try URLSessionTransport(security: options.security)
        #else
            transport = try CurlTransport(security: options.security)
        #endif
        try self.init(endpoints: endpoints, prefix: prefix, state: state, options: options, transport: transport)
    }

    init(
        endpoints: [String], prefix: String, state: URL?, options: Options, transport: any GatewayTransport
    ) throws {
        var addresses = try Endpoints(endpoints)
        addresses.shuffle()
        guard !prefix.isEmpty, !ClientMarker.keys.hasPrefix(prefix), !prefix.hasPrefix(ClientMarker.keys),
            !prefix.utf8.contains(0)
        else {
            throw SettingsError(.unusableEndpoint, store: "EtcdStore")
        }
        var file: KnownFile?
        if options.keepsState {
            let folder = try state?.path ?? PropertyListLocation.stateDirectory(for: "Etcd", store: "EtcdStore")
            file = KnownFile(folder: folder, prefix: prefix, addresses: addresses.addresses)
        }
        let client = GatewayClient(addresses, transport: transport, credentials: options.credentials)
        cluster = EtcdCluster(prefix: prefix, options: options, client: client, file: file)
        cluster.start()
    }

    deinit { cluster.close() }

    /// Closes the connections. Reading goes on with the last values; writing throws `storeClosed`.
    ///
    /// Waits for some seconds at most. A store that is released is closed, too.
    public func close() { cluster.close() }

    /// Whether the cluster is reached now, so that values are up to date. It may refuse changes, such as one without space.
    public var isConnected: Bool { cluster.state.withLock { $0.outage == nil && !$0.isClosed } }

    /// Publishes every change, also those of other programs.
    public var feed: SettingsStoreFeed? { cluster.feed }

    /// "EtcdStore" and the prefix.
    public var storeDescription: String { cluster.description }

    /// Returns the bytes stored under a key. Never throws, and never waits for the cluster.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        cluster.state.withLock { $0.contents[key.name] }
    }

    /// Stores bytes under a key, or removes it, and waits for the cluster unless it is known to be unreachable.
    ///
    /// - Throws: As ``apply(_:)`` does.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try cluster.set(key, to: data) }

    /// Applies a batch as one transaction of the cluster, and waits for it. Without writes, compares the expectations with what
    /// the cluster holds during the call.
    ///
    /// - Throws: `SettingsError` with the code `readOnly`; `tooLarge` for more than 127 settings or 1.5 MB; `clusterUnreachable`,
    ///   `clusterNotSecure`, `clusterLoginRefused`, `clusterAccessDenied`, `clusterFull`, `clusterRefused` or `storeClosed`, if
    ///   nothing was written; `outcomeUnknown`.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if !batch.writes.isEmpty { return try cluster.write(batch, failsAtOnce: false) }
        if batch.options.waitsForAgreement { try synchronize() }
        return cluster.state.withLock { $0.holds(batch.expectations) }
    }

    /// The names of the settings that are stored.
    public func keys() -> [String] { cluster.state.withLock { $0.contents.names } }

    /// Removes everything that is stored now, in transactions of 127 settings.
    ///
    /// - Throws: As ``apply(_:)`` does. Some settings may be removed then.
    public func removeAll() throws {
        var rest = keys()[...]
        while !rest.isEmpty {
            let writes = rest.prefix(EtcdLimits.operations).map { name in
                SettingsStoreBatch.Entry(key: .init(name, scope: .defaults), data: nil)
            }
            rest = rest.dropFirst(writes.count)
            _ = try apply(SettingsStoreBatch(writes: writes))
        }
    }

    /// Returns when this store sees all that the cluster held at some moment during the call.
    ///
    /// - Throws: `SettingsError` with the code `clusterUnreachable`, `clusterNotSecure`, `clusterLoginRefused`,
    ///   `clusterAccessDenied` or `storeClosed`.
    public func synchronize() throws { try cluster.catchUp(until: .now + cluster.options.patience) }
}
