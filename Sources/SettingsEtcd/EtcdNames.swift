/// The names that a store on a cluster gives to its own keys, files and entries.
enum EtcdNames {
    // MARK: Keys

    /// What the keys of the clients' markers begin with, in the cluster.
    static let clientKeys = "settingskit.clients/"

    // MARK: Local files

    /// What the name of a file begins with, in the folder for the state; a hash of the prefix follows.
    static let file = "etcd-"
    /// What the name of a folder with changes for another cluster begins with.
    static let otherCluster = "cluster-"

    // MARK: Entries of local files

    /// The entry of a file with the cluster that the file belongs to.
    static let owner = "owner"
    /// The entry with the revision of the known values, and what their names begin with.
    static let knownRevision = "revision"
    static let knownValue = "known:"
    /// What the names of accepted writes begin with.
    static let acceptedWrite = "pending:"
}
