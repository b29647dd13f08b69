#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the local state says of the replica itself. It stands under the name that no setting has, the empty one.
struct ReplicaMemory: Sendable, Equatable {
    static let name = ""
    private static let format = 1

    var replica: ReplicaID
    /// Removals before this time, in milliseconds since 1970, may have been forgotten.
    var collected: Int64 = 0
    /// What a newer version has written into the first line of the replica's file, as the text of JSON members.
    var unknownFields: [UInt8] = []

    private struct Form: Codable {
        var collected: Int64
        var format: Int
        var replica: String
        var unknown: String?
    }

    /// As the local state has it, as JSON.
    var bytes: Data {
        get throws {
            let form = Form(
                collected: collected, format: Self.format, replica: replica.description,
                unknown: unknownFields.isEmpty ? nil : String(decoding: unknownFields, as: UTF8.self))
            return try JSONEncoder.stable().encode(form)
        }
    }

    /// - Returns: nil if the bytes are of no use, and a new replica begins.
    /// - Throws: if a newer version has written them.
    init?(_ bytes: Data) throws(ReplicaProblem) {
        let form: Form
        do {
            form = try JSONDecoder().decode(Form.self, from: bytes)
        } catch {
            return nil
        }
        guard form.format <= Self.format else { throw .newerState(form.format) }
        guard let replica = ReplicaID(form.replica) else { return nil }
        self.replica = replica
        collected = form.collected
        unknownFields = Array((form.unknown ?? "").utf8)
    }

    init(replica: ReplicaID) { self.replica = replica }
}
