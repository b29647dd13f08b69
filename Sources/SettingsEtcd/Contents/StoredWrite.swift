import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form of an accepted write in the local file, where it outlives the process.
extension QueuedWrite {
    /// One line of JSON.
    var stored: Data {
        func entry(_ name: String, _ data: Data??) -> JSONText {
            var members: [(name: String, value: JSONText)] = [("name", .string(name))]
            if let data = data ?? nil { members.append(("data", .value("\"\(data.base64EncodedString())\""))) }
            return .object(members + [("base", .value("\(bases[name] ?? 0)"))])
        }
        let writes = writes.sorted { $0.key < $1.key }.map { entry($0.key, $0.value) }
        let expectations = expectations.sorted { $0.key < $1.key }.map { entry($0.key, $0.value) }
        let members: [(name: String, value: JSONText)] = [
            ("writes", .array(writes)), ("expect", .array(expectations)), ("cluster", .value("\"\(cluster)\"")),
        ]
        return Data(JSONText.object(members).compact.utf8)
    }

    /// Reads an accepted write of an earlier run. Nil for bytes that are not a write.
    init?(_ id: ID, stored: Data) {
        var parts: [String: [StoredEntry]] = [:]
        var cluster: UInt64 = 0
        do throws(GatewayFailure) {
            try GatewayReader.read(stored) { (reader) throws(GatewayFailure) in
                try reader.members { (reader, name) throws(GatewayFailure) in
                    if name == "cluster" { return cluster = try reader.integer() }
                    try reader.elements { (reader) throws(GatewayFailure) in
                        parts[name, default: []].append(try StoredEntry(&reader))
                    }
                }
            }
        } catch {
            return nil
        }
        self.init(id: id, writes: [:], isAccepted: true)
        (hasWaited, self.cluster) = (true, cluster)
        for entry in parts["writes"] ?? [] {
            writes[entry.name] = .some(entry.data)
            bases[entry.name] = entry.base
        }
        for entry in parts["expect"] ?? [] { expectations[entry.name] = .some(entry.data) }
    }
}

/// A name, its bytes, and the revision of its last write.
private struct StoredEntry {
    var name = ""
    var data: Data?
    var base: Int64 = 0

    init(_ reader: inout GatewayReader) throws(GatewayFailure) {
        try reader.members { (reader, member) throws(GatewayFailure) in
            switch member {
            case "name": name = try reader.text()
            case "data": data = try reader.data()
            case "base": base = try reader.count()
            default: try reader.skip()
            }
        }
        guard SettingsService.StorageKey.isValid(name) else { throw .notEtcd(status: 200) }
    }
}
