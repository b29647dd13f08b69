import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var replicas: Self {
        Self(
            name: "replicas", options: [.json],
            summary: "Show the devices of a shared directory.",
            discussion:
                "PENDING counts the settings whose latest change is not in the device's file yet. It needs the local state of a "
                + "program. Nothing is written, and no replica is created."
        ) { tool, invocation, streams in
            try tool.replicas(invocation, streams)
        }
    }
}

extension SettingsTool {
    fileprivate func replicas(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        guard case .shared(let directory, let state) = try place(invocation) else {
            throw CommandFailure.usage("replicas shows the devices of a shared directory. Name it as shared:DIR.")
        }
        let inspection = try DirectoryInspection(
            directory: Self.sharedDirectory(directory), state: state.map(Self.absolute), in: POSIXFileSystem(),
            now: Int64(Date().timeIntervalSince1970 * 1_000))
        let devices = inspection.devices
        let problems = inspection.findings.filter(\.isProblem)
        if invocation.has(.json) {
            let object = JSONText.object([
                ("replicas", .array(devices.map(json))), ("problems", .array(problems.map(\.json))),
            ])
            try streams.print(object.indented + "\n")
            return .success
        }
        if devices.isEmpty {
            try streams.print("No device has written files into \(TextLayout.escaped(inspection.directory)).\n")
        } else {
            let rows = [["DEVICE", "ID", "LAST SEEN", "PENDING"]] + devices.map(row)
            try streams.print(TextLayout.table(rows).joined(separator: "\n") + "\n")
        }
        for problem in problems { streams.report("\(problem.path): \(problem.message)") }
        return .success
    }

    private func row(_ device: DirectoryInspection.Device) -> [String] {
        let replica = device.replica
        let name = TextLayout.truncated(TextLayout.escaped(replica.deviceName), to: 30)
        return [
            replica.isOwn ? "\(name) (this)" : name, replica.id, replica.lastSeen.formatted(.iso8601),
            device.pendingCount.map { "\($0)" } ?? "?",
        ]
    }

    private func json(_ device: DirectoryInspection.Device) -> JSONText {
        let replica = device.replica
        var members: [(name: String, value: JSONText)] = [
            ("device", .string(replica.deviceName)), ("id", .string(replica.id)), ("isOwn", .bool(replica.isOwn)),
            ("lastSeen", .string(replica.lastSeen.formatted(.iso8601))),
            ("files", .array(device.files.map { .string($0) })),
        ]
        if let count = device.pendingCount { members.append(("pending", .value("\(count)"))) }
        return .object(members)
    }
}
