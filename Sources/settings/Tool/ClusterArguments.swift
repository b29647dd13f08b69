import SettingsCommandLine
import SettingsEtcd
import SettingsKit

/// An etcd cluster as the options of a subcommand name it.
struct ClusterArguments: Hashable, Sendable {
    let endpoints: [String]
    /// The prefix of the settings' keys.
    let prefix: String
    /// The paths of PEM files.
    var authority, certificate, key: String?
    var user: String?
    /// The path of a file with the user's password; nil for the environment.
    var passwordFile: String?

    /// The variable of etcdctl.
    private static let passwordVariable = "ETCDCTL_PASSWORD"

    /// Opens the prefix, and waits for the cluster. Nothing is written on this machine.
    ///
    /// - Throws: A failure if the password is missing or cannot be read; the error of the store.
    func open(_ access: SettingsStoreAccess) throws -> EtcdStore {
        var options = EtcdStore.Options()
        options.access = access
        options.keepsState = false
        if authority != nil || certificate != nil {
            var security = EtcdStore.Security(authority: authority)
            if let certificate, let key { security.identity = .init(certificate: certificate, key: key) }
            options.security = security
        }
        if let user { options.credentials = .init(user: user, password: try password()) }
        let store = try EtcdStore(endpoints: endpoints, prefix: prefix, options: options)
        try store.synchronize()
        return store
    }

    private func password() throws -> String {
        guard let passwordFile else {
            if let password = ProcessInfo.processInfo.environment[Self.passwordVariable] { return password }
            throw CommandFailure.usage(
                "--user needs the password: in a file that --password-file names, or in the variable \(Self.passwordVariable)."
            )
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: passwordFile, directoryHint: .notDirectory))
        } catch {
            throw CommandFailure.failure("The file with the password cannot be read: \(passwordFile). Check the path.")
        }
        // Editors end a file with a line break, which is not part of the password.
        let text = String(decoding: data, as: UTF8.self)
        return text.last?.isNewline == true ? String(text.dropLast()) : text
    }
}
