import SettingsCommandLine
import SettingsKit

extension CommandOption {
    fileprivate static let repair = CommandOption(
        "--repair", "Repair what can be repaired without loss, after a backup beside the files.")
}

extension Subcommand where Program == SettingsTool {
    static var doctor: Self {
        Self(
            name: "doctor", options: [.repair, .json], groups: [StoreArguments.options()],
            summary: "Report what is wrong with a store, and what to do.",
            discussion:
                "It inspects the files, their permissions, links, journals, clocks, files that crashes and syncers have "
                + "left, and the integrity of a database. It writes nothing without --repair. Repairs remove temporary files of dead "
                + "processes, restrict the permissions of a journal, let the store recover its property list, and write this "
                + "replica's own files again; everything else is left alone. Notes need no repair. The exit code is 3 if there are "
                + "problems, or some are left."
        ) { tool, invocation, streams in
            try tool.doctor(invocation, streams)
        }
    }
}

extension SettingsTool {
    fileprivate func doctor(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let place = try StoreArguments(invocation).place
        var inspection = try StoreInspection(place)
        var repairs = RepairReport()
        if invocation.has(.repair) {
            for _ in 0..<ToolLimits.repairRounds {
                let repair = StoreRepair(inspection)
                if !repairs.perform(repair, message: message) { break }
                inspection = try StoreInspection(place)
            }
        }
        let code: SettingsCommand.ExitCode =
            repairs.failures.isEmpty ? inspection.hasProblems ? .problems : .success : .failure
        do {
            try show(inspection, repairs, asJSON: invocation.has(.json), isRepairing: invocation.has(.repair), streams)
        } catch is CommandStreams.Closed {
            // The exit code reports problems even if the output is closed early.
        }
        for failure in repairs.failures { streams.report(failure) }
        return code
    }

    private func show(
        _ inspection: StoreInspection, _ repairs: RepairReport, asJSON: Bool, isRepairing: Bool,
        _ streams: CommandStreams
    ) throws {
        if asJSON {
            let object = JSONText.object([
                ("findings", .array(inspection.findings.map(\.json))),
                ("backups", .array(repairs.backups.map { .string($0) })),
                ("repairs", .array(repairs.done.map { .string($0) })),
            ])
            return try streams.print(object.indented + "\n")
        }
        for path in repairs.backups { try streams.print("Backup: \(TextLayout.escaped(path))\n") }
        for line in repairs.done { try streams.print(TextLayout.escaped(line) + "\n") }
        for finding in inspection.findings {
            let name = finding.severity == .problem ? streams.bold("Problem") : "Note"
            try streams.print("\(name): \(TextLayout.escaped(finding.path))\n")
            for line in TextLayout.wrapped(TextLayout.escaped(finding.text), to: streams.width - 2) {
                try streams.print("  \(line)\n")
            }
        }
        let repairable = StoreRepair(inspection).repairable.count
        if !inspection.hasProblems { try streams.print("No problems.\n") }
        if repairable > 0 && !isRepairing {
            try streams.print("--repair repairs \(repairable) of \(inspection.findings.count), after a backup.\n")
        }
    }
}

/// What repairs have done.
private struct RepairReport {
    var backups: [String] = []
    var done: [String] = []
    var failures: [String] = []

    /// Carries out the repairs of an inspection.
    ///
    /// - Returns: Whether something was repaired, and nothing failed.
    mutating func perform(_ repair: StoreRepair, message: (any Error) -> String) -> Bool {
        let repairable = repair.repairable
        if repairable.isEmpty { return false }
        do {
            // Later rounds find what the first has repaired, so one backup is enough.
            if backups.isEmpty { backups = try repair.backUp() }
        } catch {
            failures.append("The backup failed, and nothing was repaired. \(message(error))")
            return false
        }
        var kinds: Set<StoreFinding.Repair> = []
        for finding in repairable {
            // These repair every finding of their kind at once.
            let isWhole = finding.repair == .recoverPropertyList || finding.repair == .writeReplica
            if let kind = finding.repair, isWhole, !kinds.insert(kind).inserted { continue }
            do {
                let line = try repair.perform(finding)
                if done.contains(line) { return false }
                done.append(line)
            } catch {
                failures.append("\(finding.path) was not repaired. \(message(error))")
            }
        }
        return failures.isEmpty
    }
}

extension StoreInspection {
    var hasProblems: Bool { findings.contains { $0.severity == .problem } }
}

extension StoreFinding {
    /// What is wrong and what to do.
    fileprivate var text: String { advice.isEmpty ? message : "\(message) \(advice)" }
}
