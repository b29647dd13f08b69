import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Three members of etcd on this machine.
final class Cluster: Sendable {
    let endpoints: [String]
    private let folder: String
    private let base: Int
    private let members = Mutex<[Process?]>([nil, nil, nil])

    static func path(of program: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + program }
            .first(where: FileManager.default.isExecutableFile)
    }

    init(in folder: String) {
        self.folder = folder
        // Below the ports that the system gives to others.
        base = 20_000 + Int(getpid()) % 2_000 * 6
        endpoints = [0, 1, 2].map { [base] in "http://127.0.0.1:\(base + $0)" }
        for index in 0..<3 { start(index) }
    }

    func start(_ index: Int) {
        let peers = (0..<3).map { "http://127.0.0.1:\(base + 3 + $0)" }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path(of: "etcd") ?? "/usr/bin/etcd")
        process.arguments = [
            "--name", "m\(index)", "--data-dir", "\(folder)/m\(index)", "--listen-client-urls", endpoints[index],
            "--advertise-client-urls", endpoints[index], "--listen-peer-urls", peers[index],
            "--initial-advertise-peer-urls", peers[index], "--initial-cluster",
            (0..<3).map { "m\($0)=\(peers[$0])" }.joined(separator: ","), "--logger", "zap", "--log-level", "fatal",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            members.withLock { $0[index] = process }
        } catch {
            say("A member of the cluster does not start: \(error)")
        }
    }

    func stop(_ index: Int) {
        let process = members.withLock { members in
            defer { members[index] = nil }
            return members[index]
        }
        guard let process else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The member that leads the others, by what etcd's own client says; the first if it is not installed.
    func leader() -> Int {
        guard let control = Self.path(of: "etcdctl") else { return 0 }
        for (index, endpoint) in endpoints.enumerated() {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: control)
            process.arguments = ["--endpoints", endpoint, "endpoint", "status"]
            process.environment = ["ETCDCTL_API": "3"]
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return 0 }
            let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            // The fifth column says whether the member is the leader.
            let columns = output.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            if columns.count > 4, columns[4] == "true" { return index }
        }
        return 0
    }
}
