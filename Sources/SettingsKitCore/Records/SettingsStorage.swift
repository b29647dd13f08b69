import Observation
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads and writes a record of parameters like variables, at the speed of memory.
///
/// ```swift
/// let parameters = try SettingsStorage<Parameters>(name: "network", in: store)
/// if parameters.isDetailed { ... }
/// parameters.apiURL = url
/// parameters.update(\.attempts) { $0 += 1 }
/// for await record in parameters.values { ... }
/// ```
///
/// Each field is stored as JSON under a separate name, such as `network:isDetailed`. Only fields that change are written. So two
/// devices, processes or threads that change different fields keep both changes, and fields of a newer version of the program stay.
/// The fields of a record without a name have their own names, such as `isDetailed`: the structure of all settings of a program.
/// A field that is missing has the value of ``SettingsRecord/empty``. So does a field that cannot be decoded, unless it had another
/// value before in this process, which then stays in force. (Its bytes stay until the field is set, or the record is saved.) Any
/// number of records with different names can share a store.
///
/// Observers of the Observation framework that read a field are notified when any field changes, as with a
/// ``SettingsService/Value``.
///
/// Use it from any thread. Writing a record is one batch of the store. If the store publishes its changes, reading
/// never shows half of a batch. The service diagnoses errors; without a service, they are reported to
/// ``SettingsService/DiagnosticSink/standard``. ``load()``, ``save(_:)`` and ``remove()`` throw them.
///
/// Use a key path to read and write a field that has the name of a member of the storage, such as `values`: `parameters[\.values]`.
@dynamicMemberLookup
public final class SettingsStorage<Record: SettingsRecord>: Observable, Sendable {
    @usableFromInline let cached: CachedRecord<Record>

    /// Creates a record with the given name in a store.
    ///
    /// - Parameters:
    ///   - name: The prefix of the fields' names, before a colon: not empty, without NUL. Nil for names without a prefix.
    ///   - store: The store of the fields.
    ///   - migrations: Convert values of older versions before the record is read. Fields have names like `network:isDetailed`.
    ///     Only this record uses the ledger; the records without a name in a store share one, so only one of them may have migrations.
    /// - Throws: ``SettingsError`` if a migration fails, if ``SettingsRecord/empty`` cannot be encoded, or if an empty
    ///   row is not a record. A store that cannot be read is diagnosed, as at each read of the record.
    public convenience init(
        name: String? = nil, in store: any SettingsStore, migrations: [SettingsService.Migration] = []
    ) throws {
        try self.init(name: name, in: StoreServices.service(over: store), scope: .defaults, migrations: migrations)
    }

    /// Creates a record with the given name in a scope of a service.
    ///
    /// - Throws: ``SettingsError`` if a migration fails, if ``SettingsRecord/empty`` cannot be encoded, or if an empty
    ///   row is not a record.
    public convenience init(
        name: String? = nil, in service: SettingsService, scope: SettingsService.Scope = .defaults,
        migrations: [SettingsService.Migration] = []
    ) throws {
        try self.init(name: name, in: service, scope: scope, migrations: migrations, mapping: .coding)
    }

    /// Creates a record with a mapping of its own in a store.
    package convenience init(name: String?, in store: any SettingsStore, mapping: RecordMapping<Record>) throws {
        try self.init(
            name: name, in: StoreServices.service(over: store), scope: .defaults, migrations: [], mapping: mapping)
    }

    private init(
        name: String?, in service: SettingsService, scope: SettingsService.Scope,
        migrations: [SettingsService.Migration], mapping: RecordMapping<Record>
    ) throws {
        if !migrations.isEmpty {
            let ledger = SettingsService.migrationLedger
            try service.migrate(migrations, ledger: name.map { "\($0):\(ledger)" } ?? "\(ledger):record", in: scope)
        }
        cached = try CachedRecord(name: name, scope: scope, in: service, mapping)
        service.connections.diagnostics.releaseHeld()
    }

    // MARK: Reading

    /// A field of the record, or a value computed from it.
    @inlinable public subscript<Field>(dynamicMember keyPath: KeyPath<Record, Field>) -> Field {
        // Inlined, so that the compiler sees which field it is.
        @inline(__always) get { cached.tracked { cached.value()[keyPath: keyPath] } }
    }

    /// A field of the record. Assigning to it calls ``set(_:to:)``.
    ///
    /// `parameters.count += 1` reads and then writes. To lose no concurrent change, use ``update(_:_:)``.
    @inlinable public subscript<Field>(dynamicMember keyPath: WritableKeyPath<Record, Field>) -> Field {
        @inline(__always) get { cached.tracked { cached.value()[keyPath: keyPath] } }
        set { set(keyPath, to: newValue) }
    }

    /// A field of the record, or a value computed from it.
    @inlinable public subscript<Field>(keyPath: KeyPath<Record, Field>) -> Field {
        @inline(__always) get { cached.tracked { cached.value()[keyPath: keyPath] } }
    }

    /// A field of the record. Assigning to it calls ``set(_:to:)``.
    @inlinable public subscript<Field>(keyPath: WritableKeyPath<Record, Field>) -> Field {
        @inline(__always) get { cached.tracked { cached.value()[keyPath: keyPath] } }
        set { set(keyPath, to: newValue) }
    }

    /// Returns the whole record, from memory.
    @inlinable public func get() -> Record { cached.tracked { cached.value() } }

    /// Returns the record from the store.
    ///
    /// - Throws: ``SettingsError`` with the code `noStore` or `readFailed`; `decodingFailed` if the stored fields are
    ///   not a record. A single field that cannot be decoded is diagnosed, and has its last good value or that of
    ///   ``SettingsRecord/empty``.
    public func load() throws -> Record {
        try cached.load()
    }

    // MARK: Writing

    /// Sets a field. Setting the stored value again writes nothing and notifies no listener. Errors are diagnosed.
    ///
    /// A store that is not open yet keeps a field that is set as a whole. It rejects a part of a field, a computed property, and a
    /// value that several fields have in memory: use ``set(_:)-(Record)`` for these. (A computed property that stores the value
    /// itself in a field with an attribute is not distinguished from that field.)
    public func set<Field>(_ keyPath: WritableKeyPath<Record, Field>, to value: Field) {
        diagnosing { () throws(SettingsError) in try cached.set(keyPath, to: value) }
    }

    /// Replaces the record. Writes the fields that differ, also if the stored fields are not a record. Errors are diagnosed;
    /// ``save(_:)`` throws them.
    public func set(_ record: Record) {
        diagnosing { () throws(SettingsError) in try cached.replace(by: record, .ofSet) }
    }

    /// Replaces the record.
    ///
    /// - Throws: ``SettingsError``; the record is unchanged then.
    public func save(_ record: Record) throws { try cached.replace(by: record, .ofSave) }

    /// Changes a field in place, and loses no concurrent change of the record, as ``update(_:)`` does.
    ///
    /// - Throws: the error of `body`; the record is unchanged then.
    /// - Returns: the result of the run that was applied; nil if the record is unchanged because of a problem.
    @discardableResult
    public func update<Field, R, E: Error>(
        _ keyPath: WritableKeyPath<Record, Field>, _ body: (inout Field) throws(E) -> R
    ) throws(E) -> R? {
        try update { (record: inout Record) throws(E) -> R in try body(&record[keyPath: keyPath]) }
    }

    /// Changes several fields together, and loses no concurrent change of the record.
    ///
    /// `body` is called on this thread, without a lock held. It runs again on the new record if that changes meanwhile. Problems
    /// are diagnosed, and nothing is changed then. It is a problem if a changed field cannot be decoded: it would be calculated
    /// from ``SettingsRecord/empty``. Use ``set(_:to:)`` to replace it. It is also one if the store is not open yet.
    ///
    /// - Throws: the error of `body`; the record is unchanged then.
    /// - Returns: the result of the run that was applied; nil if the record is unchanged because of a problem.
    @discardableResult
    public func update<R, E: Error>(_ body: (inout Record) throws(E) -> R) throws(E) -> R? {
        let (result, error) = try cached.change(.ofSave, body)
        guard let error else { return result }
        cached.service.reportFailure(error)
        return nil
    }

    /// Removes all fields, including those that a newer version of the program has stored, so that the record is
    /// ``SettingsRecord/empty`` again. Errors are diagnosed; ``remove()`` throws them.
    ///
    /// A store that cannot list its keys keeps the fields that this version does not define. So does a record without a name.
    public func reset() {
        diagnosing { () throws(SettingsError) in try cached.remove(.ofSet) }
    }

    /// Removes all fields, as ``reset()`` does.
    ///
    /// - Throws: ``SettingsError``; the record is unchanged then.
    public func remove() throws { try cached.remove(.ofSave) }

    // MARK: One field

    /// Removes the stored value of a field, or of the fields of a nested record. Errors are diagnosed; ``remove(_:)`` throws them.
    ///
    /// - Precondition: The key path leads to a property that is stored: not to a part of it, nor to a computed property.
    public func reset<Field>(_ keyPath: WritableKeyPath<Record, Field>) {
        let settings = cached.settings(keyPath)
        if settings.count == 1 { return cached.service.reset(settings[0]) }
        cached.service.transaction { transaction in for setting in settings { transaction.reset(setting) } }
    }

    /// Removes the stored value of a field, or of the fields of a nested record, as ``reset(_:)`` does.
    ///
    /// - Throws: ``SettingsError``; the stored values stay then.
    public func remove<Field>(_ keyPath: WritableKeyPath<Record, Field>) throws {
        let settings = cached.settings(keyPath)
        if settings.count == 1 { return try cached.service.remove(settings[0]) }
        try cached.service.save { transaction in for setting in settings { transaction.reset(setting) } }
    }

    /// Returns whether a value is stored for a field, or for a field of a nested record, as ``SettingsService/isSet(_:)`` does.
    public func isSet<Field>(_ keyPath: WritableKeyPath<Record, Field>) -> Bool {
        cached.settings(keyPath).contains { cached.service.isSet($0) }
    }

    /// Returns every change of a field, in order, as ``SettingsService/changes(of:)`` does.
    ///
    /// - Precondition: The key path leads to a property that is stored, and that is no nested record.
    public func changes<Field: Sendable>(
        of keyPath: WritableKeyPath<Record, Field>
    ) -> SettingsService.Stream<SettingsService.Change<Field>> {
        guard let setting = cached.settings(keyPath).first as? SettingsService.Setting<Field> else {
            preconditionFailure("The field of \(keyPath) is stored as another type.")
        }
        return cached.service.changes(of: setting)
    }

    private func diagnosing(_ body: () throws(SettingsError) -> Void) {
        do throws(SettingsError) {
            try body()
        } catch {
            cached.service.reportFailure(error)
        }
    }

    // MARK: Listening

    /// Calls `body` with the record after each change, local or external, until the subscription is cancelled or released: once for
    /// fields that have changed together.
    ///
    /// No lock is held: `body` may read, set, subscribe and cancel. The record is the current one, so the last call has the stored
    /// record.
    public func observe(_ body: @escaping @Sendable (Record) -> Void) -> SettingsService.Subscription {
        // The commit of the last call, because each of its fields signals. No commit has the greatest number.
        let lastCommit = Atomic<UInt64>(.max)
        let end = cached.listen { [cached] commit in
            if commit != .max, lastCommit.exchange(commit, ordering: .acquiringAndReleasing) == commit { return }
            body(cached.value())
        }
        // The subscription holds the record, which keeps the listened objects alive.
        return SettingsService.Subscription { [cached] in withExtendedLifetime(cached, end) }
    }

    /// Calls `body` with a field after each change of it, local or external, until the subscription is cancelled or released.
    ///
    /// Changes of other fields are not reported. The last call has the stored value, as in ``observe(_:)``.
    public func observe<Field: Equatable & Sendable>(
        _ keyPath: any KeyPath<Record, Field> & Sendable, _ body: @escaping @Sendable (Field) -> Void
    ) -> SettingsService.Subscription {
        let last = LastField<Field>()
        let subscription = observe { record in
            let field = record[keyPath: keyPath]
            if last.changes(to: field) { body(field) }
        }
        // After the beginning, so that no change is missed: a value that is delivered meanwhile stays.
        last.begin(with: get()[keyPath: keyPath])
        return subscription
    }

    /// Returns a field, then its newest value after each change, local or external.
    ///
    /// Changes of other fields are not elements. A slow reader skips values, as in ``values``.
    public func values<Field: Equatable & Sendable>(
        of keyPath: any KeyPath<Record, Field> & Sendable
    ) -> SettingsService.Stream<Field> {
        SettingsService.Stream { [cached] in
            let nextRecord = Self.records(of: cached)
            let last = LastField<Field>()
            return {
                while let record = await nextRecord() {
                    let field = record[keyPath: keyPath]
                    if last.changes(to: field) { return field }
                }
                return nil
            }
        }
    }

    /// Returns the current record, then the newest record after each change, local or external.
    ///
    /// Changes made together are one element. A slow reader skips records, and always receives the newest. The sequence ends when
    /// its task is cancelled.
    public var values: SettingsService.Stream<Record> {
        SettingsService.Stream { [cached] in Self.records(of: cached) }
    }

    private static func records(of cached: CachedRecord<Record>) -> SettingsService.Stream<Record>.Next {
        SettingsService.Stream.values({ cached.value() }, at: { cached.connection.sequence }) {
            .init(cached.listen($0))
        }
    }
}

/// The last value of a field that a listener has received. One thread at a time delivers values.
private final class LastField<Field: Equatable & Sendable>: Sendable {
    private let value = Mutex<Field?>(nil, .leaf)

    /// Records the value at the beginning, if none was delivered yet.
    func begin(with field: Field) {
        value.withLock { value in
            if value == nil { value = field }
        }
    }

    /// Records a value, and returns whether it is another one.
    func changes(to field: Field) -> Bool {
        // Neither comparing nor releasing a value is done inside the lock, because both may run the user's code.
        let last = value.withLock { $0 }
        if last == field { return false }
        let replaced = value.withLock { value in
            defer { value = field }
            return value
        }
        withExtendedLifetime(replaced) {}
        return true
    }
}
