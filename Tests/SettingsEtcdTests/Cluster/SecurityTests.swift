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

        @Test("A user's token is renewed when it has expired, and missing users and rights are reported as such")
        func users() async throws {
            try await withTemporaryDirectory { directory in
                let server = try EtcdServer(in: directory, extra: ["--auth-token-ttl", "1"])
                defer { server.kill(0) }
                // Ann may do all that a store needs, Bob may not write the client's key, Eve may only read, and Dan may do nothing.
                for (user, rights) in [
                    ("root", []), ("ann", ["readwrite test/", "readwrite settingskit.clients/"]),
                    ("bob", ["readwrite test/"]), ("eve", ["read test/", "readwrite settingskit.clients/"]),
                    ("dan", []),
                ] {
                    try server.control("user", "add", "\(user):secret-\(user)")
                    if user != "root" { try server.control("role", "add", user) }
                    for right in rights.map({ $0.split(separator: " ").map(String.init) }) {
                        try server.control("role", "grant-permission", user, "--prefix=true", right[0], right[1])
                    }
                    try server.control("user", "grant-role", user, user)
                }
                try server.control("auth", "enable")
                func store(_ user: String?, password: String? = nil) throws -> EtcdStore {
                    var options = EtcdStore.Options()
                    options.credentials = user.map { .init(user: $0, password: password ?? "secret-\($0)") }
                    options.patience = .seconds(3)
                    options.keepsState = false
                    return try EtcdStore(endpoints: server.endpoints, prefix: "test/", options: options)
                }
                let ann = try store("ann")
                try ann.save("a", "1")
                let a = Setting<Int>("a", in: .fleet, default: 0)
                for (user, password, code, canRead) in [
                    ("eve", nil, .clusterAccessDenied, true), ("bob", nil, .clusterAccessDenied, true),
                    ("dan", nil, .clusterAccessDenied, false), (nil, nil, .clusterLoginRefused, false),
                    ("ann", "wrong-secret", .clusterLoginRefused, false),
                ] as [(String?, String?, SettingsError.Code, Bool)] {
                    let store = try store(user, password: password)
                    let problems = Recorder<SettingsError>()
                    let settings = SettingsService.fleet(store, problems)
                    #expect(thrownCode { try settings.save(a, to: 2) } == code, "\(user ?? "no user")")
                    settings.set(a, to: 2)
                    #expect(problems.codes.contains(code) && !problems.codes.contains(.clusterUnreachable))
                    for problem in problems.all { #expect(!"\(problem)".contains("secret")) }
                    #expect(store.isConnected == canRead && store.text("a") == (canRead ? "1" : nil))
                    #expect(thrownCode { try store.synchronize() } == (canRead ? nil : code))
                }
                // The subject is time that passes: a token expires that nothing uses for a second. Etcd looks once a second.
                try await Task.sleep(for: .milliseconds(2_500))
                try ann.save("a", "3")
                for (password, isRight) in [("secret-ann", true), ("wrong-secret", false)] {
                    let tool = SettingsToolRun(
                        ["get", "etcd:test/", "a"],
                        ["ENDPOINTS": server.endpoint, "USER": "ann", "PASSWORD": password])
                    #expect(tool.output == (isRight ? "3\n" : "") && (tool.code == 0) == isRight, "\(tool)")
                    #expect(!tool.errors.contains("secret"))
                }
            }
        }
    }
}
