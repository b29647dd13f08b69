import SettingsKitCore

extension SettingsError.Code {
    /// The cluster cannot be reached. Reading goes on with the last known values.
    public static let clusterUnreachable = Self(
        name: "clusterUnreachable",
        advice:
            "The cluster cannot be reached; the last known values are used, and the connection is tried again. Nothing "
            + "was written by a call that threw this.")
    /// The cluster is reached after an interruption, and the values are up to date.
    public static let clusterReached = Self(
        name: "clusterReached", advice: "The cluster is reached again; the values are up to date.")
    /// The cluster has not answered in time. The change may have been made or not.
    public static let outcomeUnknown = Self(
        name: "outcomeUnknown",
        advice:
            "The cluster did not answer in time; the change may have been made or not. Read the setting when the cluster "
            + "is reached again.")
    /// Accepted changes wait for the cluster. They are kept in the local file and sent when it can be reached.
    public static let notYetAgreed = Self(
        name: "notYetAgreed",
        advice:
            "The cluster has not agreed on some changes yet; they are kept in the local file, and are sent in their order "
            + "when the cluster can be reached.")
    /// A change that waited through a lost connection or a restart was given up, because another program has changed the
    /// setting meanwhile.
    public static let overruled = Self(
        name: "overruled",
        advice:
            "Another program has changed the setting while this change waited for the cluster; its value counts. Set the "
            + "value again if it is still wanted.")
    /// Accepted changes were for another cluster or another prefix. They were not sent, and are kept aside.
    public static let otherCluster = Self(
        name: "otherCluster",
        advice:
            "Accepted changes are for another cluster or another prefix, and were not sent. To send them, open a store of that "
            + "cluster with the folder that the cause names as its state. To give them up, remove the folder.")
    /// A batch has more operations than a transaction of etcd.
    public static let tooManyOperations = Self(
        name: "tooManyOperations",
        advice:
            "A transaction in an etcd cluster has at most 127 settings, read or written; divide it. Nothing was written."
    )
    /// The cluster has refused a change for what it is: the user has no right to make it, or it is too large for the cluster.
    public static let clusterRefused = Self(
        name: "clusterRefused", advice: "The cluster has refused the change; the value in the cluster stays.")
    /// The arguments with which a store was opened cannot be used.
    public static let unusableEndpoint = Self(
        name: "unusableEndpoint",
        advice:
            "Endpoints are addresses such as https://host:2379, without a user, a path or a query; the prefix must not be "
            + "empty and must not begin the names of the clients' markers.")
    /// The system has no libcurl, or one older than 7.68.
    public static let libraryMissing = Self(
        name: "libraryMissing",
        advice: "The system's libcurl cannot be loaded; install libcurl.so.4, version 7.68 or later (Debian: libcurl4)."
    )
    /// The store is closed, or was opened by the process that this one is a fork of.
    public static let storeClosed = Self(
        name: "storeClosed", advice: "The store is closed, or belongs to the parent of this process; open another one.")
}
