import SettingsKitCore

extension EtcdStore {
    /// How a store connects to its cluster.
    public struct Options: Sendable {
        /// The certificates for `https` endpoints; nil for those that the system trusts.
        public var security: Security?
        /// The user of a cluster with authentication; nil for one without.
        public var credentials: Credentials?
        /// What the store may do in the cluster. A store that only reads throws `SettingsError.Code.readOnly` when a setting is
        /// set; the last known values are still kept in the file.
        public var access = SettingsStoreAccess.readWrite
        /// How long a write, a transaction that only reads, and ``EtcdStore/synchronize()`` wait for the cluster.
        public var patience = Duration.seconds(5)
        /// How long opening waits for the first read. After that the store begins with its last known values, and catches up
        /// in the background.
        public var openingPatience = Duration.seconds(2)
        /// How long the watch may be silent. After that, the store asks the cluster whether it is reached, and watches again,
        /// another member if this one hangs. So a value is late by this time and the time of a connection at most: by ten seconds,
        /// unless you choose another time.
        public var silence = Duration.seconds(6)
        /// Whether a file keeps the last known values. If not, a program that cannot reach the cluster starts without values.
        public var keepsState = true

        /// Creates the default options.
        public init() {}
    }

    /// The files that authenticate a cluster to this program, and this program to the cluster.
    public struct Security: Sendable {
        /// The path of a PEM file with the certificates of the authorities to trust; nil for those of the system.
        public var authority: String?
        /// The program's own certificate and key, for a cluster that demands one.
        public var identity: Identity?

        /// A certificate and its private key.
        ///
        /// On Linux, two PEM files; the key may have a password. Apple platforms read no PEM keys, and no file without a
        /// password: there the certificate is a PKCS #12 file with both, the path of the key is not used, and the password is
        /// required. It is read into memory, and is not added to a keychain. To create one, with ciphers that all of these
        /// systems read:
        ///
        /// ```
        /// openssl pkcs12 -export -in CERTIFICATE -inkey KEY -out FILE -passout file:PASSWORD \
        ///     -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1
        /// ```
        ///
        /// The ciphers are weak: protect the file as you protect the key. The password appears in no message or description.
        public struct Identity: Sendable, CustomStringConvertible, CustomReflectable {
            /// The path of the PEM file with the certificate, or of the PKCS #12 file.
            public var certificate: String
            /// The path of the PEM file with the private key.
            public var key: String
            /// The password of the key, or of the PKCS #12 file; nil for none.
            public var password: String?

            /// Names the files of a certificate and its key, which may have a password.
            public init(certificate: String, key: String, password: String? = nil) {
                (self.certificate, self.key, self.password) = (certificate, key, password)
            }

            /// The paths, without the password.
            public var description: String { "Identity(certificate: \(certificate), key: \(key))" }

            /// A mirror without the password.
            public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate, "key": key]) }
        }

        /// Names the files.
        ///
        /// - Parameters:
        ///   - authority: The path of a PEM file with the authorities to trust; nil for those of the system.
        ///   - identity: The program's own certificate; nil for none.
        public init(authority: String? = nil, identity: Identity? = nil) {
            (self.authority, self.identity) = (authority, identity)
        }
    }

    /// The name and password of a user of the cluster. They appear in no message, log or address.
    public struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        /// Creates the credentials of a user.
        public init(user: String, password: String) { (self.user, self.password) = (user, password) }

        /// "Credentials", without the name and the password.
        public var description: String { "Credentials" }

        /// A mirror without the name and the password.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }
}
