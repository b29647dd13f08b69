import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("Certificates and users", .timeLimit(.minutes(5)))
    struct SecurityTests {
        /// An authority, and certificates of a server and a client.
        private func makeCertificates(in directory: String) throws {
            func openssl(_ arguments: String) throws {
                let result = try EtcdServer.run(
                    "openssl", arguments.split(separator: " ").map(String.init), in: directory)
                try #require(result.status == 0, "openssl \(arguments)")
            }
            for name in ["ca", "other"] {
                try openssl(
                    "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=\(name) -keyout \(directory)/\(name).key -out \(directory)/\(name).pem"
                )
            }
            try Data("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n".utf8).write(
                to: URL(fileURLWithPath: directory + "/extensions"))
            for name in ["server", "client"] {
                try openssl(
                    "req -newkey rsa:2048 -nodes -subj /CN=\(name) -keyout \(directory)/\(name).key -out \(directory)/\(name).csr"
                )
                try openssl(
                    "x509 -req -days 2 -in \(directory)/\(name).csr -CA \(directory)/ca.pem -CAkey \(directory)/ca.key -CAcreateserial -extfile \(directory)/extensions -out \(directory)/\(name).pem"
                )
            }
        }

        @Test(
            "A cluster that demands certificates is used with the right ones only",
            .enabled(if: EtcdServer.path(of: "openssl") != nil, "openssl is not installed"))
        func certificates() async throws {
            try await withTemporaryDirectory { directory in
                try makeCertificates(in: directory)
                let server = try EtcdServer(
                    in: directory, scheme: "https",
                    extra: [
                        "--cert-file", directory + "/server.pem", "--key-file", directory + "/server.key",
                        "--trusted-ca-file", directory + "/ca.pem", "--client-cert-auth",
                    ],
                    client: [
                        "--cacert", directory + "/ca.pem", "--cert", directory + "/client.pem", "--key",
                        directory + "/client.key",
                    ])
                defer { server.kill(0) }
                @Sendable func store(_ security: EtcdStore.Security?) throws -> EtcdStore {
                    var options = EtcdStore.Options()
                    options.security = security
                    options.patience = .seconds(3)
                    return try EtcdStore(
                        endpoints: server.endpoints, prefix: "test/", state: URL(fileURLWithPath: directory + "/state"),
                        options: options)
                }
                let identity = EtcdStore.Security.Identity(
                    certificate: directory + "/client.pem", key: directory + "/client.key")
                // The same key with a password.
                let encryption = try EtcdServer.run(
                    "openssl",
                    [
                        "rsa", "-aes256", "-in", identity.key, "-out", directory + "/locked.key", "-passout",
                        "pass:secret",
                    ],
                    in: directory)
                try #require(encryption.status == 0)
                func locked(_ password: String?) -> EtcdStore.Security {
                    .init(
                        authority: directory + "/ca.pem",
                        identity: .init(
                            certificate: identity.certificate, key: directory + "/locked.key", password: password))
                }
                let unlocked = try store(locked("secret"))
                try await until { unlocked.isConnected }
                let right = try store(.init(authority: directory + "/ca.pem", identity: identity))
                try await until { right.isConnected }
                try right.save("a", "1")
                #expect(right.text("a") == "1")
                let tool = SettingsToolRun(
                    ["get", "etcd:test/", "a"],
                    [
                        "ENDPOINTS": server.endpoint, "CACERT": directory + "/ca.pem",
                        "CERT": directory + "/client.pem",
                        "KEY": directory + "/client.key",
                    ])
                #expect(tool.code == 0 && tool.output == "1\n", "\(tool)")
                let wrong: [EtcdStore.Security?] = [
                    nil, EtcdStore.Security(authority: directory + "/ca.pem"),
                    EtcdStore.Security(authority: directory + "/other.pem", identity: identity),
                    EtcdStore.Security(authority: directory + "/missing.pem", identity: identity),
                    locked("wrong"), locked(nil),
                ]
                let outcomes = Recorder<(code: SettingsError.Code?, isConnected: Bool)>()
                inParallel(wrong.count) { index in
                    guard let store = try? store(wrong[index]) else { return }
                    outcomes.append((thrownCode { try store.save("a", "2") }, store.isConnected))
                }
                #expect(outcomes.count == wrong.count)
                #expect(outcomes.all.allSatisfy { $0.code == .clusterNotSecure && !$0.isConnected }, "\(outcomes.all)")
                try right.synchronize()
                #expect(right.text("a") == "1")
            }
        }

        @Test("The password of a key is in no description")
        func descriptions() {
            let identity = EtcdStore.Security.Identity(certificate: "a.pem", key: "b.pem", password: "secret")
            let security = EtcdStore.Security(authority: "c.pem", identity: identity)
            var dumped = ""
            dump(security, to: &dumped)
            for text in ["\(identity)", "\(security)", String(reflecting: security), dumped] {
                #expect(text.contains("a.pem") && !text.contains("secret"))
            }
        }

        @Test(
            "A change of roles makes tokens invalid, and no change of a setting is given up for that",
            .enabled(if: EtcdServer.path(of: "openssl") != nil, "openssl is not installed"))
        func changedRoles() async throws {
            try await withTemporaryDirectory { directory in
                // A signed token holds the revision of the users and roles, and etcd refuses an older one.
                let key = directory + "/token.key"
                let result = try EtcdServer.run("openssl", ["genrsa", "-out", key, "2048"], in: directory)
                try #require(result.status == 0)
                let server = try EtcdServer(
                    in: directory, extra: ["--auth-token", "jwt,priv-key=\(key),sign-method=RS256,ttl=10m"])
                defer { server.kill(0) }
                try server.control("user", "add", "root:secret-root")
                try server.control("user", "grant-role", "root", "root")
                try server.control("auth", "enable")
                var options = EtcdStore.Options()
                options.credentials = .init(user: "root", password: "secret-root")
                let store = try EtcdStore(
                    endpoints: server.endpoints, prefix: "test/",
                    state: URL(fileURLWithPath: directory + "/state"), options: options)
                let problems = Recorder<SettingsError>()
                let settings = SettingsService.fleet(store, problems)
                for number in 1...3 {
                    try server.control("role", "add", "role\(number)", "--user", "root:secret-root")
                    settings.set(Setting<Int>("a", in: .fleet, default: 0), to: number)
                    try await until { thrownCode { try store.synchronize() } == nil }
                    #expect(
                        try server.control("get", "test/a", "--print-value-only", "--user", "root:secret-root")
                            == "\(number)\n")
                }
                #expect(!problems.codes.contains(.clusterRefused))
            }
        }

        @Test("A user's token is renewed when it has expired, and a user without rights is refused in words")
        func users() async throws {
            try await withTemporaryDirectory { directory in
                let server = try EtcdServer(in: directory, extra: ["--auth-token-ttl", "1"])
                defer { server.kill(0) }
                for user in ["root", "ann", "eve"] { try server.control("user", "add", "\(user):secret-\(user)") }
                try server.control("user", "grant-role", "root", "root")
                try server.control("role", "add", "fleet")
                try server.control("role", "grant-permission", "fleet", "--prefix=true", "readwrite", "test/")
                try server.control(
                    "role", "grant-permission", "fleet", "--prefix=true", "readwrite", "settingskit.clients/")
                try server.control("user", "grant-role", "ann", "fleet")
                try server.control("role", "add", "reader")
                try server.control("role", "grant-permission", "reader", "--prefix=true", "read", "test/")
                try server.control(
                    "role", "grant-permission", "reader", "--prefix=true", "readwrite", "settingskit.clients/")
                try server.control("user", "grant-role", "eve", "reader")
                try server.control("auth", "enable")
                func store(_ user: String, password: String? = nil) throws -> EtcdStore {
                    var options = EtcdStore.Options()
                    options.credentials = .init(user: user, password: password ?? "secret-\(user)")
                    options.patience = .seconds(3)
                    return try EtcdStore(
                        endpoints: server.endpoints, prefix: "test/",
                        state: URL(fileURLWithPath: directory + "/" + user),
                        options: options)
                }
                let ann = try store("ann")
                try ann.save("a", "1")
                let eve = try store("eve")
                #expect(eve.text("a") == "1")
                #expect(thrownCode { try eve.save("a", "2") } == .clusterRefused)
                let problems = Recorder<SettingsError>()
                let settings = SettingsService.fleet(eve, problems)
                settings.set(Setting<Int>("a", in: .fleet, default: 0), to: 5)
                #expect(problems.codes.contains(.clusterRefused))
                #expect(eve.text("a") == "1")
                // Longer than a token lives, which etcd checks once a second.
                try await Task.sleep(for: .milliseconds(2_500))
                try ann.save("a", "3")
                try await until { eve.text("a") == "3" }
                for password in ["secret-ann", "wrong-secret"] {
                    let tool = SettingsToolRun(
                        ["get", "etcd:test/", "a"],
                        ["ENDPOINTS": server.endpoint, "USER": "ann", "PASSWORD": password])
                    if password == "secret-ann" {
                        #expect(tool.code == 0 && tool.output == "3\n", "\(tool)")
                    } else {
                        #expect(tool.code != 0 && !tool.errors.contains("secret"), "\(tool)")
                    }
                }
                let wrong = try store("ann", password: "wrong-secret")
                #expect(!wrong.isConnected)
                let error = #expect(throws: SettingsError.self) { try wrong.save("a", "4") }
                #expect(error?.code == .clusterLoginRefused)
                #expect(error.map { !"\($0)".contains("secret") } == true)
                for problem in problems.all { #expect(!"\(problem)".contains("secret")) }
            }
        }

        @Test("A missing user, and missing rights that all settings need, are reported as such")
        func missingRights() throws {
            try withTemporaryDirectory { directory in
                let server = try EtcdServer(in: directory)
                defer { server.kill(0) }
                for user in ["root", "bob", "eve"] { try server.control("user", "add", "\(user):secret-\(user)") }
                try server.control("user", "grant-role", "root", "root")
                try server.control("role", "add", "fleet")
                try server.control("role", "grant-permission", "fleet", "--prefix=true", "readwrite", "test/")
                try server.control("user", "grant-role", "bob", "fleet")
                try server.control("auth", "enable")
                // Bob may not write the client's key, Eve may do nothing.
                for (user, code) in [
                    ("bob", .clusterAccessDenied), ("eve", .clusterAccessDenied), (nil, .clusterLoginRefused),
                ] as [(String?, SettingsError.Code)] {
                    var options = EtcdStore.Options()
                    options.credentials = user.map { .init(user: $0, password: "secret-\($0)") }
                    options.patience = .seconds(3)
                    options.keepsState = false
                    let store = try EtcdStore(endpoints: server.endpoints, prefix: "test/", options: options)
                    let problems = Recorder<SettingsError>()
                    let settings = SettingsService.fleet(store, problems)
                    let a = Setting<Int>("a", in: .fleet, default: 0)
                    #expect(thrownCode { try settings.save(a, to: 1) } == code, "\(user ?? "no user")")
                    settings.set(a, to: 1)
                    #expect(problems.codes.contains(code))
                    #expect(!problems.codes.contains(.clusterUnreachable))
                    #expect(store.isConnected == (user == "bob"))
                    #expect(thrownCode { try store.synchronize() } == (user == "bob" ? nil : code))
                }
            }
        }
    }
}
