import Foundation

/// A syncer that carries files between the devices' folders: late, twice, renamed, cut off. It loses no device's last file.
struct Copier {
    private struct Folder {
        let device: String
        let url: URL
        /// The names of the files that were delivered to it.
        var delivered: Set<String> = []
        /// The versions of the device's own file, newest last.
        var versions: [Data] = []
    }

    private struct Delivery {
        let due: Date
        let name: String
        let bytes: Data
        let folder: Int
        var mischief = Mischief.none
    }

    /// A fault of a delivery.
    private enum Mischief: String, CaseIterable {
        case none = "unchanged"
        case twice = "a second time"
        case renamed = "as conflict copies"
        case cut = "cut off"
        case older = "in an older version"
    }

    private var folders: [Folder]
    private var underWay: [Delivery] = []
    private var random: SeededGenerator
    /// The number of deliveries with each fault.
    private var counts: [Mischief: Int] = [:]

    init(_ folders: [(device: String, url: URL)], seed: UInt64) {
        self.folders = folders.map { Folder(device: $0.device, url: $0.url) }
        random = SeededGenerator(seed: seed)
    }

    /// Collects new files, and delivers those that are due.
    mutating func work() throws {
        for index in folders.indices {
            guard let name = try collect(index) else { continue }
            for other in folders.indices where other != index { send(name, from: index, to: other) }
        }
        try deliver { $0.due <= Date() }
    }

    /// Delivers all files that are on their way, and then the newest version of each.
    ///
    /// - Returns: whether any file had changed since it was last collected.
    mutating func bringEverything() throws -> Bool {
        var isAnythingNew = false
        for index in folders.indices {
            if try collect(index) != nil { isAnythingNew = true }
            guard let name = try ownFile(in: folders[index]), let newest = folders[index].versions.last
            else { continue }
            for other in folders.indices where other != index {
                underWay.append(Delivery(due: .distantFuture, name: name, bytes: newest, folder: other))
            }
        }
        try deliver { _ in true }
        return isAnythingNew
    }

    /// A sentence about all deliveries.
    var summary: String {
        let faults = Mischief.allCases.filter { $0 != .none }.map { "\(counts[$0] ?? 0) \($0.rawValue)" }
        return "The syncer delivered \(counts.values.reduce(0, +)) files: \(faults.joined(separator: ", "))."
    }

    // MARK: Collecting

    /// - Returns: the name of the device's own file if it has changed.
    private mutating func collect(_ index: Int) throws -> String? {
        guard let name = try ownFile(in: folders[index]) else { return nil }
        let bytes = try Data(contentsOf: folders[index].url.appendingPathComponent(name))
        if bytes == folders[index].versions.last { return nil }
        folders[index].versions.append(bytes)
        return name
    }

    /// The file that was not delivered. Hidden files are temporary.
    private func ownFile(in folder: Folder) throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .first { !$0.hasPrefix(".") && !folder.delivered.contains($0) }
    }

    // MARK: Delivering

    private mutating func send(_ name: String, from source: Int, to folder: Int) {
        guard let newest = folders[source].versions.last else { return }
        // Each delivery takes another time, so the first may arrive last.
        let time = Date().addingTimeInterval(.random(in: 0...0.8, using: &random))
        let later = time.addingTimeInterval(.random(in: 0.2...0.6, using: &random))
        func delivery(_ due: Date, _ bytes: Data, as name: String, _ mischief: Mischief = .none) -> Delivery {
            Delivery(due: due, name: name, bytes: bytes, folder: folder, mischief: mischief)
        }
        switch Mischief.allCases.randomElement(using: &random) ?? .none {
        case .none:
            underWay.append(delivery(time, newest, as: name))
        case .twice:
            underWay += [delivery(time, newest, as: name), delivery(later, newest, as: name, .twice)]
        case .renamed:
            underWay.append(delivery(time, newest, as: conflictName(of: name), .renamed))
        case .cut:
            underWay.append(delivery(time, newest.prefix(newest.count / 2), as: name, .cut))
            underWay.append(delivery(later, newest, as: name))
        case .older:
            underWay.append(delivery(time, newest, as: name))
            guard let older = folders[source].versions.dropLast().randomElement(using: &random) else { return }
            underWay.append(delivery(later, older, as: name, .older))
        }
    }

    /// A name that syncers give to a file that two devices have changed.
    private mutating func conflictName(of name: String) -> String {
        let stem = name.dropLast(".jsonl".count)
        return Bool.random(using: &random)
            ? "\(stem).sync-conflict-20261121-120000-ABCDEFG.jsonl"
            : "\(stem) (Ann's conflicted copy 2026-11-21).jsonl"
    }

    /// Delivers the files that are due, in order.
    private mutating func deliver(_ isDue: (Delivery) -> Bool) throws {
        let due = underWay.filter(isDue).sorted { $0.due < $1.due }
        underWay.removeAll(where: isDue)
        for delivery in due {
            let url = folders[delivery.folder].url.appendingPathComponent(delivery.name)
            folders[delivery.folder].delivered.insert(delivery.name)
            // In place, as the worst syncers do: a reader can see half a file.
            try delivery.bytes.write(to: url)
            counts[delivery.mischief, default: 0] += 1
        }
    }
}
