import SettingsCommandLine
import SettingsEtcd
import SettingsKit

/// An etcd cluster as the variables of etcdctl name it.
struct ClusterArguments: Hashable, Sendable {
    private let endpoints: [String]
    /// The prefix of the settings' keys.
    private let prefix: String
    /// The paths of PEM files.
    private let authority, certificate, key: String?
    private let user, password: String?

    /// - Throws: A failure if a variable is missing that another one needs.
    init(prefix: String, variable: (String) -> String?) throws(CommandFailure) {
        func value(_ name: String) -> String? { variable("ETCDCTL_" + name).flatMap { $0.isEmpty ? nil : $0 } }
        self.prefix = prefix
        (authority, certificate, key) = (value("CACERT"), value("CERT"), value("KEY"))
        if (certificate == nil) != (key == nil) { throw .usage("ETCDCTL_CERT and ETCDCTL_KEY belong together.") }
        // Without a scheme, as etcdctl takes them.
        let scheme = authority == nil && certificate == nil ? "http" : "https"
        endpoints = (value("ENDPOINTS") ?? "127.0.0.1:2379").split(separator: ",").map {
            $0.contains("://") ? String($0) : "\(scheme)://\($0)"
        }
        // The user's variable may have the password behind a colon.
        let parts = value("USER")?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        user = parts?.first
        password = parts?.dropFirst().first ?? value("PASSWORD")
        if user != nil && password == nil { throw .usage("ETCDCTL_USER needs ETCDCTL_PASSWORD.") }
    }

    /// Opens the prefix, and waits for the cluster. Nothing is written on this machine.
    ///
    /// - Throws: The error of the store.
    func open(_ access: SettingsStoreAccess) throws -> EtcdStore {
        var options = EtcdStore.Options()
        options.access = access
        options.keepsState = false
        if authority != nil || certificate != nil {
            var security = EtcdStore.Security(authority: authority)
            if let certificate, let key { security.identity = .init(certificate: certificate, key: key) }
            options.security = security
        }
        if let user, let password { options.credentials = .init(user: user, password: password) }
        let store = try EtcdStore(endpoints: endpoints, prefix: prefix, options: options)
        try store.synchronize()
        return store
    }
}
