import SettingsKitCore

extension SettingsError.Code {
    /// The cluster cannot be reached. Reading goes on with the last known values.
    public static let clusterUnreachable = Self(
        name: "clusterUnreachable",
        advice:
            "The cluster cannot be reached; the last known values are used, and the connection is tried again. Nothing "
            + "was written by a call that threw this.")
    /// No secure connection to the cluster can be established.
    public static let clusterNotSecure = Self(
        name: "clusterNotSecure",
        advice:
            "Cannot connect securely to the cluster. Check the store's authority, the certificate that the members "
            + "require, and whether the endpoints begin with https. Until then the last known values are used.")
    /// The cluster does not accept the user's name or password, or requires a user.
    public static let clusterLoginRefused = Self(
        name: "clusterLoginRefused",
        advice:
            "The cluster does not accept the store's user and password, or requires a user. Correct the credentials. Until "
            + "then the last known values are used.")
    /// The user has no right to a key that the store reads or writes.
    public static let clusterAccessDenied = Self(
        name: "clusterAccessDenied",
        advice:
            "The cluster's user has no right to read or write the setting, or to write the keys under settingskit.clients/. "
            + "Grant both to a role of the user. Nothing was written.")
    /// The cluster has no space left, and refuses writes. Values are read and arrive as before.
    public static let clusterFull = Self(
        name: "clusterFull",
        advice:
            "The cluster has no space left, and nothing was written. Compact and defragment it, or raise its quota, and "
            + "disarm its alarm.")
    /// The code `recovered`, for a cluster that is reached after an interruption.
    static let clusterReached = Self(
        name: recovered.name, advice: "The cluster is reached again; the values are up to date.")
    /// The cluster has not answered in time. The change may have been made or not.
    public static let outcomeUnknown = Self(
        name: "outcomeUnknown",
        advice:
            "The cluster did not answer in time; the change may have been made or not. Read the setting when the cluster "
            + "is reached again.")
    /// The code `tooLarge`, for a batch with more operations than a transaction of etcd.
    static let tooManyOperations = Self(
        name: tooLarge.name,
        advice:
            "A transaction in an etcd cluster has at most 127 settings, read or written; divide it. Nothing was written."
    )
    /// The cluster has refused a change for what it is, such as one that is too large for its configuration.
    public static let clusterRefused = Self(
        name: "clusterRefused", advice: "The cluster has refused the change; the value in the cluster stays.")
    /// The arguments with which a store was opened cannot be used.
    public static let unusableEndpoint = Self(
        name: "unusableEndpoint",
        advice:
            "Endpoints are addresses such as https://host:2379, without a user, a path or a query; the prefix must not be "
            + "empty and must not begin the names of the clients' markers.")
    /// The code `libraryUnavailable`, for libcurl.
    static let libraryMissing = Self(
        name: libraryUnavailable.name,
        advice: "The system's libcurl cannot be loaded; install libcurl.so.4, version 7.68 or later (Debian: libcurl4)."
    )
    /// The store is closed.
    public static let storeClosed = Self(name: "storeClosed", advice: "The store is closed; open another one.")
    /// The code `damaged`, for the file of the last known values.
    static let knownValuesUnusable = Self(
        name: damaged.name,
        advice: "The file of the last known values cannot be used, and is replaced when the cluster is reached.")
}

// The causes. `GatewayFailure` has those that the cluster and the connection lead to.

/// A change is too large for a transaction.
struct TransactionLimit: ValueFreeError {
    var description: String { "A transaction in an etcd cluster takes at most 1.5 MB; store large data elsewhere." }
}
