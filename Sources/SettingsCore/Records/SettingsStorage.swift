#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A record of parameters, read and written like variables at the speed of memory.
///
/// ```swift
/// let parameters = try SettingsStorage<Parameters>(name: "network", in: store)
/// if parameters.isDetailed { ... }
/// parameters.apiURL = url
/// parameters.update(\.attempts) { $0 += 1 }
/// for await record in parameters.keepInformed() { ... }
/// ```
///
/// Each field is stored under a name of its own, `network:isDetailed`, as JSON; only fields that change are written. So
/// two devices, processes or threads that change different fields keep both changes, fields of a newer version of the
/// program stay what they are, and a field that is missing or holds something else reads as that of
/// ``SettingsRecord/empty``. (What it holds stays until the field is changed, or the record is saved.) Any number of
/// records lie side by side in one store, each with a name.
///
/// It may be used from any thread. Writing a record is one batch of the store. If the store publishes all of its changes,
/// reading never shows half of a batch. Problems are diagnosed by the service (straight over a store: reported to
/// ``SettingsService/DiagnosticSink/standard``); ``retrieve()`` and ``persist(_:)`` throw them.
@dynamicMemberLookup
public final class SettingsStorage<Record: SettingsRecord>: Sendable {
    @usableFromInline let cached: CachedRecord<Record>

    /// The record with the given name in a store.
    ///
    /// - Parameters:
    ///   - name: What the names of its fields begin with, before a colon: not empty, without NUL.
    ///   - store: Where the fields are.
    ///   - migrations: Brings what older versions have stored to what is expected now, before anything is read. Fields have
    ///     names like `network:isDetailed`. What was carried out is noted for this record alone.
    /// - Throws: ``SettingsError``, if a migration fails, if ``SettingsRecord/empty`` cannot be stored, or if no record can
    ///   be made of nothing stored. A store that cannot be read is diagnosed, as each time that the record is read.
    public convenience init(
        name: String, in store: any SettingsStore, migrations: [SettingsService.Migration] = []
    ) throws {
        try self.init(name: name, in: StoreServices.service(over: store), scope: .defaults, migrations: migrations)
    }

    /// The record with the given name in a scope of a service.
    ///
    /// - Throws: ``SettingsError``, if a migration fails, if ``SettingsRecord/empty`` cannot be stored, or if no record can
    ///   be made of nothing stored.
    public init(
        name: String, in service: SettingsService, scope: SettingsService.Scope = .defaults,
        migrations: [SettingsService.Migration] = []
    ) throws {
        if !migrations.isEmpty {
            try service.migrate(migrations, ledger: "\(name):\(SettingsService.migrationLedger)", in: scope)
        }
        cached = try CachedRecord(name: name, scope: scope, in: service)
    }

    // MARK: Reading

    /// A field of the record, or something computed from it.
    @inlinable public subscript<Field>(dynamicMember keyPath: KeyPath<Record, Field>) -> Field {
        // Inlined, so that the compiler sees which field it is.
        @inline(__always) get { cached.value()[keyPath: keyPath] }
    }

    /// A field of the record; setting it is ``update(_:with:)``.
    ///
    /// `parameters.count += 1` reads and then writes, and may undo a change made in between; use ``update(_:_:)`` instead.
    @inlinable public subscript<Field>(dynamicMember keyPath: WritableKeyPath<Record, Field>) -> Field {
        @inline(__always) get { cached.value()[keyPath: keyPath] }
        set { update(keyPath, with: newValue) }
    }

    /// The whole record.
    @inlinable public func read() -> Record { cached.value() }

    /// A field of the record.
    @inlinable @inline(__always) public func read<Field>(_ keyPath: KeyPath<Record, Field>) -> Field {
        cached.value()[keyPath: keyPath]
    }

    /// The whole record as the store has it now.
    ///
    /// - Throws: ``SettingsError`` with the code `noStore` or `readFailed`; `decodingFailed` if no record can be made of what
    ///   is stored. A single field that holds something else is diagnosed, and reads as that of ``SettingsRecord/empty``.
    public func retrieve() throws -> Record {
        try cached.connection.requireStore().requireOpen()
        return try cached.current(asksStore: true).content.get()
    }

    // MARK: Writing

    /// Sets a field. Setting an equal value writes nothing and notifies no listener. Problems are diagnosed.
    public func update<Field>(_ keyPath: WritableKeyPath<Record, Field>, with value: Field) {
        // Other fields may change meanwhile: nothing depends on them, unless the property is computed from several.
        let isWhole = MemoryLayout<Record>.offset(of: keyPath) == nil
        diagnosing { () throws(SettingsError) in try cached.set(isWhole: isWhole) { $0[keyPath: keyPath] = value } }
    }

    /// Changes a field in place, so that no other change of the record is lost in between. `body` may run more than once, on
    /// any thread, without a lock held. Problems are diagnosed.
    public func update<Field>(
        _ keyPath: WritableKeyPath<Record, Field> & Sendable, _ body: @escaping @Sendable (inout Field) -> Void
    ) {
        update { body(&$0[keyPath: keyPath]) }
    }

    /// Changes several fields together, so that no other change of the record is lost in between. `body` may run more than
    /// once, on any thread, without a lock held: also on the stored record, when a store becomes available that could not be
    /// opened. Problems are diagnosed.
    public func update(_ body: @escaping @Sendable (inout Record) -> Void) {
        diagnosing { () throws(SettingsError) in try cached.update(body) }
    }

    /// Replaces the record: writes the fields that differ, also where no record could be made of what is stored.
    /// Problems are diagnosed.
    public func save(_ record: Record) {
        diagnosing { () throws(SettingsError) in try cached.replace(by: record, isKept: true) }
    }

    /// Replaces the record, and throws what went wrong.
    ///
    /// - Throws: ``SettingsError``; the record is then what it was.
    public func persist(_ record: Record) throws { try cached.replace(by: record, isKept: false) }

    /// Removes all fields, also those that a newer version of the program has stored, so that the record is
    /// ``SettingsRecord/empty`` again. Problems are diagnosed.
    ///
    /// A store that cannot list its keys keeps the fields that this version does not know.
    public func erase() {
        diagnosing { () throws(SettingsError) in try cached.erase() }
    }

    private func diagnosing(_ body: () throws(SettingsError) -> Void) {
        do throws(SettingsError) {
            try body()
        } catch {
            cached.service.connections.diagnostics.report(error)
        }
    }

    // MARK: Listening

    /// The current record, then the newest one each time that one or more of its fields have changed, locally or externally.
    ///
    /// Fields that change together come as one record. A reader that is slower than the changes skips records, and always gets
    /// the newest; the sequence ends when its task is cancelled.
    public func keepInformed() -> SettingsService.Stream<Record> {
        SettingsService.Stream { [cached] in
            let source = StreamSource<UInt64>(limit: 1) { _, newer in newer }
            let end = cached.listen { source.push($0) }
            let owner = StreamOwner(source, onEnd: end)
            let reader = ValueReader(sequence: { cached.connection.sequence }, read: { cached.value() })
            source.push(UInt64.max)
            return { await reader.next(from: owner) }
        }
    }
}
