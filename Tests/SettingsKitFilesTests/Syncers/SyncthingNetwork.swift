import Foundation
import SettingsTestSupport

/// Real syncthing devices on the loopback interface, each of which is connected to each other.
///
/// Nothing outside this machine is asked for anything: there is no discovery, relay, address translation, upgrade,
/// usage report or crash report. Keys, settings and databases are in a directory of the network's own, which is removed
/// with it. In the shared directories syncthing makes `.stfolder`, which tells it that a directory is there, and
/// `.syncthing.name.tmp` while it writes a file. To replace a file it removes the old one, renames the new one, and only
/// then sets its time: for a moment there is no file of that name.
///
/// A change travels by itself, in a second or two. `settle()` is quicker, and says when everything has arrived.
final class SyncthingNetwork: Sendable {
    /// Where the keys, settings and databases are.
    let home: String
    private let devices: [SyncthingDevice]

    /// Starts the devices, and waits until they are connected.
    init(sharing directories: [String]) async throws {
        home = FileManager.default.temporaryDirectory.appendingPathComponent("syncthing-\(UUID().uuidString)").path
        do {
            var peers: [SyncthingPeer] = []
            for (number, directory) in directories.enumerated() {
                peers.append(try SyncthingPeer(home: "\(home)/\(number)", directory: directory))
            }
            // One by one, so that whom a device calls is there: after a call in vain it waits for five seconds.
            var devices: [SyncthingDevice] = []
            for number in peers.indices {
                let device = try SyncthingDevice(number, of: peers)
                try await wait("syncthing to answer") { device.isReady }
                devices.append(device)
            }
            self.devices = devices
        } catch {
            try? FileManager.default.removeItem(atPath: home)
            throw error
        }
        // It is complete: if this throws, `deinit` cleans up.
        try await waitUntilConnected()
    }

    deinit {
        for device in devices { device.end() }
        // Whatever cannot be removed stays in the system's directory for temporary files.
        try? FileManager.default.removeItem(atPath: home)
    }

    /// Waits until every device has every change that was made in the directories before, conflicts included.
    ///
    /// The devices have to be connected.
    func settle() async throws {
        var sequences: [Int] = []
        while true {
            for device in devices { try device.rescan() }
            try await wait("the devices to be in step") { try devices.allSatisfy { try $0.isComplete() } }
            // A copy that a conflict leaves is itself a change, which a device finds after it was in step.
            let found = try devices.map { try $0.state().sequence }
            if found == sequences { return }
            sequences = found
        }
    }

    /// Cuts all connections, and waits until they are. What is changed on two devices now is a conflict later.
    func disconnect() async throws {
        for device in devices.reversed() { try device.post("/rest/system/pause") }
        try await wait("the devices to be disconnected") { try devices.allSatisfy { try $0.connectedPeers().isEmpty } }
    }

    /// Connects the devices again, and waits until they are.
    func connect() async throws {
        // In this order, so that whom a device calls takes calls again.
        for device in devices { try device.post("/rest/system/resume") }
        try await waitUntilConnected()
    }

    private func waitUntilConnected() async throws {
        try await wait("the devices to be connected") {
            try devices.allSatisfy { try $0.connectedPeers().count == devices.count - 1 }
        }
    }
}

private func wait(_ what: String, until condition: () throws -> Bool) async throws {
    if try await !eventually(condition) { throw ToolError("waited in vain for \(what)") }
}

/// What the devices know about one of them.
private struct SyncthingPeer: Sendable {
    let home: String
    let directory: String
    /// The identifier, which follows from the key.
    let id: String
    /// The version of the form of the settings that the installed syncthing writes.
    let settingsVersion: String
    let port: UInt16
    let restPort: UInt16

    /// Has syncthing generate a key.
    init(home: String, directory: String) throws {
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let result = try Tool.syncthing.run(["generate", "--home=\(home)"], environment: Self.environment(home: home))
        guard result.status == 0,
            let settings = FileManager.default.contents(atPath: "\(home)/config.xml"),
            let id = String(decoding: settings, as: UTF8.self).firstMatch(of: /<device id="([^"]+)"/),
            let version = String(decoding: settings, as: UTF8.self).firstMatch(of: /<configuration version="(\d+)"/)
        else { throw ToolError("syncthing generate ended with \(result.status)\n\(result.text)") }
        self.home = home
        self.directory = directory
        self.id = String(id.1)
        settingsVersion = String(version.1)
        port = try Self.freePort()
        restPort = try Self.freePort()
    }

    /// A port that nothing listens on, outside the range from which the system takes ports itself.
    private static func freePort() throws -> UInt16 {
        while true {
            let port = UInt16.random(in: 20_000..<32_000)
            let result = try Tool.curl.run(["--noproxy", "*", "--silent", "http://127.0.0.1:\(port)"])
            let isRefused = result.status == 7
            if isRefused, returnedPorts.withLock({ $0.insert(port).inserted }) { return port }
        }
    }

    private static let returnedPorts = Mutex<Set<UInt16>>([])

    static func environment(home: String) -> [String: String] {
        [
            "HOME": home, "STNODEFAULTFOLDER": "1", "STNOPORTPROBING": "1", "STNOUPGRADE": "1",
            // Marks it as supervised: it does not start a second process that does the work.
            "STMONITORED": "1",
            // Saves the comparison of hash functions at the start.
            "STHASHING": "standard",
            "all_proxy": "", "ALL_PROXY": "",
        ]
    }
}

/// A process that runs syncthing.
private final class SyncthingDevice: Sendable {
    struct State: Decodable {
        var state: String
        var needTotalItems: Int
        /// Grows with every change that the device comes to know.
        var sequence: Int
    }

    private struct Completion: Decodable {
        var needItems: Int
        var needDeletes: Int
    }

    private struct Connections: Decodable {
        struct Connection: Decodable {
            var connected: Bool
        }
        var connections: [String: Connection]
    }

    private static let folder = "shared"

    private let peer: SyncthingPeer
    private let others: [String]
    private let key = UUID().uuidString
    private let process: Program

    /// Starts one of the devices.
    init(_ number: Int, of peers: [SyncthingPeer]) throws {
        peer = peers[number]
        others = peers.map(\.id).filter { $0 != peers[number].id }
        try Data(Self.settings(of: number, among: peers, key: key).utf8)
            .write(to: URL(fileURLWithPath: "\(peer.home)/config.xml"))
        process = try Tool.syncthing.start(
            ["serve", "--home=\(peer.home)", "--no-browser"], environment: SyncthingPeer.environment(home: peer.home),
            output: "\(peer.home)/output")
    }

    /// What is different from the defaults: short delays, and nothing that leaves the machine.
    ///
    /// A device calls those before it, and is called by those after it. syncthing calls from the port that it listens
    /// at, and two that call each other at the same time get one connection on which both wait, for twenty seconds.
    private static func settings(of number: Int, among peers: [SyncthingPeer], key: String) -> String {
        let peer = peers[number]
        let members = peers.map { "<device id=\"\($0.id)\"></device>" }
        let addresses = peers.enumerated().map { other, peer in
            let address = other < number ? "tcp://127.0.0.1:\(peer.port)" : "dynamic"
            return "<device id=\"\(peer.id)\"><address>\(address)</address></device>"
        }
        return """
            <configuration version="\(peer.settingsVersion)">
                <folder id="\(folder)" label="\(folder)" path="\(escaped(peer.directory))" type="sendreceive" \
            rescanIntervalS="0" fsWatcherEnabled="true" fsWatcherDelayS="1">
                    \(members.joined())
                    <minDiskFree unit="%">0</minDiskFree>
                    <pullerPauseS>1</pullerPauseS>
                    <maxConflicts>-1</maxConflicts>
                </folder>
                \(addresses.joined())
                <gui enabled="true" tls="false">
                    <address>127.0.0.1:\(peer.restPort)</address>
                    <apikey>\(key)</apikey>
                </gui>
                <options>
                    <listenAddress>tcp://127.0.0.1:\(peer.port)</listenAddress>
                    <globalAnnounceEnabled>false</globalAnnounceEnabled>
                    <localAnnounceEnabled>false</localAnnounceEnabled>
                    <announceLANAddresses>false</announceLANAddresses>
                    <relaysEnabled>false</relaysEnabled>
                    <natEnabled>false</natEnabled>
                    <stunKeepaliveStartS>0</stunKeepaliveStartS>
                    <startBrowser>false</startBrowser>
                    <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
                    <urAccepted>-1</urAccepted>
                    <crashReportingEnabled>false</crashReportingEnabled>
                    <reconnectionIntervalS>1</reconnectionIntervalS>
                    <minHomeDiskFree unit="%">0</minHomeDiskFree>
                    <setLowPriority>false</setLowPriority>
                </options>
            </configuration>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    func end() { process.end() }

    var isReady: Bool { (try? answer("GET", "/rest/system/ping")) != nil }

    func rescan() throws { try post("/rest/db/scan?folder=\(Self.folder)") }

    func state() throws -> State { try get("/rest/db/status?folder=\(Self.folder)") }

    /// Whether it has, and knows each other device to have, all that it knows of.
    func isComplete() throws -> Bool {
        let state = try state()
        guard state.state == "idle", state.needTotalItems == 0 else { return false }
        for other in others {
            let completion: Completion = try get("/rest/db/completion?folder=\(Self.folder)&device=\(other)")
            if completion.needItems > 0 || completion.needDeletes > 0 { return false }
        }
        return true
    }

    /// The identifiers of the devices that it is connected to.
    func connectedPeers() throws -> [String] {
        let found: Connections = try get("/rest/system/connections")
        return others.filter { found.connections[$0]?.connected == true }
    }

    func post(_ path: String) throws { _ = try answer("POST", path) }

    private func get<Answer: Decodable>(_ path: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(try answer("GET", path).utf8))
    }

    private func answer(_ method: String, _ path: String) throws -> String {
        let result = try Tool.curl.run([
            "--noproxy", "*", "--silent", "--fail", "--request", method, "--header", "X-API-Key: \(key)",
            "http://127.0.0.1:\(peer.restPort)\(path)",
        ])
        if result.status == 0 { return result.text }
        throw ToolError("syncthing answers \(method) \(path) with \(result)")
    }
}
