import Foundation

/// Carries files between the devices' folders, as badly as it can without losing the last state of one.
struct Copier {
    private struct Folder {
        let device: String
        let url: URL
        /// What others' files in it are called.
        var delivered: Set<String> = []
        /// What the device's own file has been, the newest last.
        var versions: [Data] = []
    }

    private struct Delivery {
        let due: Date
        let name: String
        let bytes: Data
        let folder: Int
        /// What is worth a line.
        var remark: String?
    }

    private enum Mischief: CaseIterable {
        case none, twice, renamed, cut, older
    }

    private var folders: [Folder]
    private var underWay: [Delivery] = []
    private var random: SeededGenerator
    /// How many files it has delivered.
    private(set) var count = 0

    init(_ folders: [(device: String, url: URL)], seed: UInt64) {
        self.folders = folders.map { Folder(device: $0.device, url: $0.url) }
        random = SeededGenerator(seed: seed)
    }

    /// Collects what is new and delivers what is due.
    mutating func work() throws {
        for index in folders.indices {
            guard let name = try collect(index) else { continue }
            for other in folders.indices where other != index { send(name, from: index, to: other) }
        }
        try deliver { $0.due <= Date() }
    }

    /// Delivers what is under way, and then the newest of everything.
    ///
    /// - Returns: whether there was anything that had not been collected before.
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

    // MARK: Collecting

    /// - Returns: the name of the device's own file if there is a new version of it.
    private mutating func collect(_ index: Int) throws -> String? {
        guard let name = try ownFile(in: folders[index]) else { return nil }
        let bytes = try Data(contentsOf: folders[index].url.appendingPathComponent(name))
        if bytes == folders[index].versions.last { return nil }
        folders[index].versions.append(bytes)
        return name
    }

    /// The one file that was not delivered; hidden ones are temporary.
    private func ownFile(in folder: Folder) throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .first { !$0.hasPrefix(".") && !folder.delivered.contains($0) }
    }

    // MARK: Delivering

    private mutating func send(_ name: String, from source: Int, to folder: Int) {
        guard let newest = folders[source].versions.last else { return }
        // How long it takes is different each time: what was sent first may arrive last.
        let time = Date().addingTimeInterval(.random(in: 0...0.8, using: &random))
        let later = time.addingTimeInterval(.random(in: 0.2...0.6, using: &random))
        let route = "    \(folders[source].device)'s file to \(folders[folder].device), "
        func delivery(_ due: Date, _ bytes: Data, as name: String, _ remark: String? = nil) -> Delivery {
            Delivery(due: due, name: name, bytes: bytes, folder: folder, remark: remark.map { route + $0 })
        }
        switch Mischief.allCases.randomElement(using: &random) ?? .none {
        case .none:
            underWay.append(delivery(time, newest, as: name))
        case .twice:
            underWay += [delivery(time, newest, as: name), delivery(later, newest, as: name, "a second time")]
        case .renamed:
            underWay.append(delivery(time, newest, as: conflictName(of: name), "as a conflict copy"))
        case .cut:
            underWay.append(delivery(time, newest.prefix(newest.count / 2), as: name, "cut in the middle"))
            underWay.append(delivery(later, newest, as: name))
        case .older:
            underWay.append(delivery(time, newest, as: name))
            guard let older = folders[source].versions.dropLast().randomElement(using: &random) else { return }
            underWay.append(delivery(later, older, as: name, "in an older version"))
        }
    }

    /// As syncers call a file that two devices have changed.
    private mutating func conflictName(of name: String) -> String {
        let stem = name.dropLast(".jsonl".count)
        return Bool.random(using: &random)
            ? "\(stem).sync-conflict-20261121-120000-ABCDEFG.jsonl"
            : "\(stem) (Ann's conflicted copy 2026-11-21).jsonl"
    }

    /// Delivers some of what is under way, in the order in which it is due.
    private mutating func deliver(_ isDue: (Delivery) -> Bool) throws {
        let due = underWay.filter(isDue).sorted { $0.due < $1.due }
        underWay.removeAll(where: isDue)
        for delivery in due {
            let url = folders[delivery.folder].url.appendingPathComponent(delivery.name)
            folders[delivery.folder].delivered.insert(delivery.name)
            // In place, as the worst of them do: whoever looks now sees half a file.
            try delivery.bytes.write(to: url)
            count += 1
            if let remark = delivery.remark { Console.say("copier", remark) }
        }
    }
}
