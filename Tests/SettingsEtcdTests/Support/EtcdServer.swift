import Foundation
import SettingsTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One or several members of an etcd cluster, which the tests start on ports of their own and end with this object.
final class EtcdServer: Sendable {
    /// Whether etcd is installed, and so the tests that need it can run.
    static let isInstalled = ["etcd", "etcdctl"].allSatisfy { EtcdServer.path(of: $0) != nil }

    private struct Member {
        let folder: String
        /// The name and the address for the other members.
        let identity: [String]
        let arguments: [String]
        let port: Int
        var process: Program?
    }

    /// A member without others has nothing to wait for when it elects itself.
    private static let elections = ["--heartbeat-interval", "10", "--election-timeout", "100"]

    private let members: Mutex<[Member]>
    private let scheme: String
    private let directory: String
    /// Where the members keep their data: in memory where the system has a place for that, because etcd flushes each write.
    /// The members are killed, and what they have written stays; the machine is not.
    private let data: String
    /// What etcd's own client needs besides the endpoints.
    private let clientArguments: [String]

    /// Starts members and waits until they answer.
    ///
    /// - Parameters:
    ///   - directory: Where other files are kept.
    ///   - extra: Further arguments of each member.
    ///   - client: Further arguments of etcd's own client, such as its certificate.
    init(
        _ count: Int = 1, in directory: String, scheme: String = "http", extra: [String] = [], client: [String] = []
    ) throws {
        (self.scheme, self.directory, clientArguments) = (scheme, directory, client)
        let memory = "/dev/shm"
        let data =
            FileManager.default.isWritableFile(atPath: memory) ? "\(memory)/settings-\(UUID().uuidString)" : directory
        self.data = data
        let ports = try Self.freePorts(2 * count)
        let names = (0..<count).map { "member\($0)" }
        let peers = (0..<count).map { "http://127.0.0.1:\(ports[count + $0])" }
        let initial = zip(names, peers).map { "\($0)=\($1)" }.joined(separator: ",")
        members = Mutex(
            (0..<count).map { index in
                let client = "\(scheme)://127.0.0.1:\(ports[index])"
                return Member(
                    folder: data + "/" + names[index],
                    identity: [
                        "--name", names[index], "--initial-advertise-peer-urls", peers[index], "--initial-cluster",
                        initial,
                    ],
                    arguments: [
                        "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls",
                        peers[index], "--log-level", "error", "--logger", "zap",
                    ] + (count == 1 ? Self.elections : []) + extra,
                    port: ports[index], process: nil)
            })
        for index in 0..<count { try start(index) }
        try waitForPorts()
    }

    deinit {
        for member in members.withLock(\.self) {
            member.process?.end()
            try? FileManager.default.removeItem(atPath: member.folder)
        }
        if data != directory { rmdir(data) }
    }

    var ports: [Int] { members.withLock { $0.map(\.port) } }
    var endpoints: [String] { ports.map { "\(scheme)://127.0.0.1:\($0)" } }
    var endpoint: String { endpoints[0] }

    func start(_ index: Int) throws {
        let arguments = members.withLock { members in
            ["--data-dir", members[index].folder] + members[index].identity + members[index].arguments
        }
        let process = try Program(
            try #require(Self.path(of: "etcd")), arguments,
            environment: ["PATH": "/usr/bin:/bin", "ETCD_UNSUPPORTED_ARCH": "arm64"])
        members.withLock { $0[index].process = process }
    }

    /// Ends a member as `kill -9` does.
    func kill(_ index: Int) {
        let process = members.withLock { members in
            defer { members[index].process = nil }
            return members[index].process
        }
        process?.end()
    }

    /// Stops or continues a member, which keeps its connections.
    func pause(_ index: Int, _ isPaused: Bool) {
        members.withLock { $0[index].process }?.send(isPaused ? SIGSTOP : SIGCONT)
    }

    /// Ends all members, and starts them with what a snapshot holds.
    ///
    /// - Parameter token: Of another cluster, if the snapshot is to get another identity.
    func restore(_ snapshot: String, token: String? = nil) throws {
        for (index, member) in members.withLock({ $0 }).enumerated() {
            kill(index)
            try FileManager.default.removeItem(atPath: member.folder)
            let result = try run(
                ["snapshot", "restore", snapshot, "--data-dir", member.folder] + member.identity
                    + (token.map { ["--initial-cluster-token", $0] } ?? []))
            try #require(result.status == 0)
        }
        for index in ports.indices { try start(index) }
        try waitForPorts()
    }

    private func waitForPorts() throws {
        let deadline = Date().addingTimeInterval(60)
        for endpoint in endpoints {
            while try !isHealthy(endpoint) {
                try #require(Date() < deadline, "etcd does not answer")
                usleep(20_000)
            }
        }
    }

    private func isHealthy(_ endpoint: String) throws -> Bool {
        try run(["--endpoints", endpoint, "--dial-timeout", "1s", "--command-timeout", "1s", "get", "x"]).status == 0
    }

    /// Runs etcd's own client.
    @discardableResult
    func control(_ arguments: String...) throws -> String {
        let result = try run(["--endpoints", endpoints.joined(separator: ",")] + arguments)
        #expect(result.status == 0, "etcdctl \(arguments)")
        return result.output
    }

    /// Runs etcd's own client, at one member or at all. Returns its output; nil if it has failed.
    @discardableResult
    func tryControl(at index: Int? = nil, _ arguments: [String]) throws -> String? {
        let result = try run(
            ["--endpoints", index.map { endpoints[$0] } ?? endpoints.joined(separator: ",")] + arguments)
        return result.status == 0 ? result.output : nil
    }

    /// The newest revision of the cluster, as etcd's own client shows it with a key.
    func revision(of key: String) throws -> String {
        let fields = try control("get", key, "-w", "fields")
        let line = try #require(fields.split(separator: "\n").first { $0.hasPrefix("\"Revision\"") })
        return line.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try Self.run("etcdctl", clientArguments + arguments, in: directory)
    }

    // MARK: Programs and ports

    static func path(of program: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/", "/bin/", "/opt/homebrew/bin/"].map { $0 + program }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    static func run(
        _ program: String, _ arguments: [String], in directory: String
    ) throws -> (status: Int32, output: String) {
        try Program.run(
            try #require(path(of: program)), arguments, environment: ["ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"],
            in: directory)
    }

    /// Ports that are free, and that no other test gets.
    static func freePorts(_ count: Int) throws -> [Int] {
        let sockets = try (0..<count).map { _ in try ListeningSocket() }
        defer { for socket in sockets { socket.close() } }
        return sockets.map { $0.reservePort() }
    }
}
