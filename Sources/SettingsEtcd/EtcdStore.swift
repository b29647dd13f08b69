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
/// - After `set`, this process sees the value, and the change is in a local file, so that it survives the end of the process.
///   It is sent in the background, in the order of all changes. Errors are reported to the service's diagnostics.
/// - After `save`, `update` and transactions, most members of the cluster have agreed. `update` and transactions are atomic
///   across machines. They throw `clusterUnreachable`, or a code that names the cause, if nothing was written, and
///   `outcomeUnknown` if the answer was lost and could not be found out in time.
/// - After ``synchronize()``, the cluster has agreed on all earlier changes, and this process sees all that the cluster held at
///   some moment during the call.
/// - A change that waited through a lost connection or a restart loses to a value that another program has written since, and
///   is reported as `overruled`.
///
/// ## Without the cluster
/// A store that cannot reach the cluster begins with the last known values of the local file, reports `clusterUnreachable`, and
/// catches up by itself. Reading never waits.
///
/// ## Limits
/// A transaction takes 127 settings and 1.5 MB. All values under the prefix are in memory, at most 256 MB.
///
/// Writes use a key under `settingskit.clients/`, which ends with the client: a user of a cluster with authentication needs the
/// right to read and write keys with that prefix and the store's.
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
    ///     stores spread evenly over the members: each begins with any of them, goes on with another one if that fails, and
    ///     returns to it some minutes later.
    ///   - prefix: What the keys of the settings begin with, such as `fleet/player/`. Not empty.
    ///   - state: The folder of the local files; created if it is missing. Nil for `Etcd` in the program's own folder: in
    ///     `$XDG_STATE_HOME` or `~/.local/state` on Linux, in Application Support on Apple platforms. Two clusters in which a
    ///     program uses the same prefix need two folders: the values of another cluster are not used, and changes that were
    ///     accepted for it are kept aside, and reported with `otherCluster`.
    ///   - options: Certificates, the user, how long to wait, and more.
    /// - Throws: `SettingsError` with the code `unusableEndpoint`, `libraryUnavailable`, `storeUnavailable` if the local file
    ///   cannot be used, or `memoryOnly` if `state` is nil and there is no home directory.
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
        let addresses = try Endpoints(endpoints).shuffled()
        guard !prefix.isEmpty, !EtcdNames.clientKeys.hasPrefix(prefix), !prefix.hasPrefix(EtcdNames.clientKeys),
            !prefix.utf8.contains(0)
        else {
            throw SettingsError(.unusableEndpoint, store: "EtcdStore")
        }
        let folder = options.keepsState ? try state?.path ?? Self.standardFolder() : nil
        let client = GatewayClient(addresses, transport: transport, credentials: options.credentials)
        cluster = try EtcdCluster(prefix: prefix, options: options, client: client) { report in
            try folder.map { folder in
                try LocalState(
                    folder: folder, prefix: prefix, addresses: addresses.addresses, keepsWrites: options.keepsWrites,
                    report: report)
            }
        }
        try cluster.start()
    }

    deinit { cluster.close() }

    private static func standardFolder() throws -> String {
        try PropertyListLocation.stateDirectory(for: "Etcd", store: "EtcdStore")
    }

    /// Closes the connections. Reading goes on with the last values; writing throws `storeClosed`.
    ///
    /// Changes on which the cluster has not agreed stay in the local file and are sent by the next store that is opened with
    /// the same prefix and folder. Waits for two seconds at most. A store that is released is closed, too.
    public func close() { cluster.close() }

    /// Whether the cluster is reached now, so that values are up to date. It may refuse changes, such as one without space.
    public var isConnected: Bool {
        cluster.state.withLock { $0.outage.isFollowing && !$0.isClosed }
    }

    /// Publishes every change, also those of other programs.
    public var feed: SettingsStoreFeed? { cluster.feed }

    /// "EtcdStore" and the prefix.
    public var storeDescription: String { cluster.description }

    /// Returns the bytes stored under a key. Never throws, and never waits for the cluster.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        cluster.state.withLock { $0.contents.visible[key.name] }
    }

    /// Stores bytes under a key, or removes it. When it returns, the change is in the local file.
    ///
    /// - Throws: `SettingsError` with the code `readOnly`, `tooLarge`, `storeClosed`, or as the local file does.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try apply(
            SettingsStoreBatch(writes: [.init(key: key, data: data)], options: .ofSet))
    }

    /// Applies a batch as one transaction of the cluster, and waits for it if the batch says so. Without writes, asks the cluster
    /// whether the expectations hold.
    ///
    /// - Throws: As ``set(_:to:)`` does; `tooLarge` for more than 127 settings, `clusterUnreachable`,
    ///   `clusterNotSecure`, `clusterLoginRefused`, `clusterAccessDenied`, `clusterFull`, `clusterRefused`, `outcomeUnknown`.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        let waits = batch.options.waitsForAgreement
        if batch.writes.isEmpty {
            return try waits ? cluster.confirm(batch.expectations) : cluster.holds(batch.expectations)
        }
        return try waits ? cluster.agree(batch) : cluster.accept(batch)
    }

    /// The names of the settings that are stored.
    public func keys() -> [String] { cluster.state.withLock { Array($0.contents.visible.keys) } }

    /// Removes everything that is stored now, in transactions of 127 settings. Does not wait for the cluster.
    ///
    /// - Throws: As ``set(_:to:)`` does.
    public func removeAll() throws {
        var rest = keys()[...]
        while !rest.isEmpty {
            let writes = rest.prefix(EtcdLimits.operations).map { name in
                SettingsStoreBatch.Entry(key: .init(name, scope: cluster.scope), data: nil)
            }
            rest = rest.dropFirst(writes.count)
            _ = try apply(SettingsStoreBatch(writes: writes, options: .ofSet))
        }
    }

    /// Returns when the cluster has agreed on all earlier changes, and this store sees all that the cluster held at some moment
    /// during the call.
    ///
    /// - Throws: `SettingsError` with the code `pending` if changes wait for the cluster, or `clusterUnreachable`,
    ///   `clusterNotSecure`, `clusterLoginRefused` or `clusterAccessDenied`.
    public func synchronize() throws { try cluster.synchronize() }
}
