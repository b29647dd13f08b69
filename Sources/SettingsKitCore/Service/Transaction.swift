#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// Reads and writes that are applied together; passed to the closure of a transaction.
    ///
    /// Reads see earlier writes. If a value that the closure has read changes before the transaction is applied, the closure runs
    /// again. So the values that it has read in one store with a feed are those of one moment, also if it writes nothing.
    ///
    /// A copy is the same transaction.
    public struct Transaction {
        /// What the transaction has read and will write under one key. A class, because copying all of this takes long.
        final class Entry {
            let key: StorageKey
            let connection: Connection
            /// The bytes to store. Nil to store nothing. Its key has the type of the setting that writes.
            var written: SettingsStoreBatch.Entry?
            /// The value whose bytes are to be stored, so that they need not be decoded.
            var value: (any Sendable)?
            /// The slot of the setting that was set or reset. Only the setting decides whether it is locked.
            var slot: AnySlot?
            /// What the sources must still hold when the transaction is applied, because the closure has read it or hooks receive it.
            var expected: (row: Row, sources: Sources)?
            /// What was in force then of the setting that read it.
            var known: (slot: AnySlot, verdict: Verdict)?
            /// Whether the closure has read the stored value.
            var isRead = false
            /// Whether it is removed after everything else is stored, because a migration moves its value to another store.
            var isRemovedLast = false

            init(key: StorageKey, connection: Connection) { (self.key, self.connection) = (key, connection) }

            /// Whether nothing is to be stored.
            var isRemoved: Bool { written.map { $0.data == nil } ?? false }

            /// Records bytes to store.
            ///
            /// - Parameters:
            ///   - slot: The slot of the setting that was set or reset. Nil if it is not known.
            ///   - value: The value whose bytes they are. Nil if it is not known.
            func write(_ data: Data?, for key: StorageKey, of slot: AnySlot?, _ value: (any Sendable)? = nil) {
                written = .init(key: key, data: data)
                (self.slot, self.value, isRemovedLast) = (slot, value, false)
            }
        }

        let service: SettingsService
        /// In the order of their first use.
        private(set) var entries: [Entry] = []
        /// The entries that are written.
        var writtenEntries: some Sequence<Entry> { entries.lazy.filter { $0.written != nil } }
        /// The places of the entries, if there are many.
        private var indices: [StorageKey: Int] = [:]
        /// The settings that have hooks, in the order in which they were first set.
        private var hooked: [SettingDefinition] = []
        private var hookedIdentifiers: Set<ObjectIdentifier> = []
        /// The options with which its batches are applied.
        let options: SettingsStoreBatch.Options
        /// The key of the migration's ledger, whose store is written last; nil for a transaction that is no migration.
        var ledger: StorageKey?
        /// Whether a store that agrees with other machines confirms the reads if the transaction writes nothing.
        var confirmsReads = true
        /// The error because of which nothing can be applied.
        private(set) var error: SettingsError?
        /// The error because of which no value can be stored: a value that was read is the default although another is stored, or
        /// would be lost.
        private(set) var refusal: SettingsError?

        init(service: SettingsService, options: SettingsStoreBatch.Options) {
            (self.service, self.options) = (service, options)
        }

        /// Returns the setting's value after the writes made so far, or its default if it cannot be read. A value that an external
        /// change made undecodable reads as the last good one.
        ///
        /// If the value is the default because the stored one cannot be decoded or the setting rejects it, the transaction stores
        /// no value: the stored one would be lost. ``set(_:to:)`` in a transaction that does not read it replaces it, and
        /// ``reset(_:)`` removes it.
        public mutating func get<T>(_ setting: Setting<T>) -> T {
            let (value, refusal) = read(setting)
            self.refusal = self.refusal ?? refusal
            return value
        }

        /// Returns the setting's value, and the reason why no other may be calculated from it.
        mutating func read<T>(_ setting: Setting<T>) -> (value: T, refusal: SettingsError?) {
            let slot = service.slot(for: setting)
            guard let (row, sources, known) = value(of: entry(of: setting.key, slot.connection), slot) else {
                return (setting.defaultValue, nil)
            }
            let verdict = slot.judge(row, after: known, in: sources)
            slot.connection.report(verdict, of: setting.key, in: sources)
            let isDefault = verdict.origin == nil
            let refused = isDefault ? verdict.rejections.first { $0.source == sources.writable }?.error : nil
            let refusal = refused.map {
                SettingsError($0.code, key: setting.key, underlying: StoredValueIsUnusable(cause: $0))
            }
            return (slot.value(of: verdict), refusal)
        }

        /// Sets a value when the transaction is applied. A value that cannot be encoded fails the whole transaction.
        public mutating func set<T>(_ setting: Setting<T>, to value: T) {
            let value = setting.coding.process(value)
            recordHooks(of: setting)
            do throws(SettingsError) {
                let data = try setting.coding.bytes(for: value)
                let slot = service.slot(for: setting)
                entry(of: setting.key, slot.connection).write(data, for: setting.key, of: slot, value)
            } catch {
                self.error = self.error ?? error
            }
        }

        /// The setting's value. Assigning to it calls ``set(_:to:)``.
        public subscript<T>(setting: Setting<T>) -> T {
            mutating get { get(setting) }
            set { set(setting, to: newValue) }
        }

        /// Changes a value in place: the one that ``get(_:)`` returns.
        @discardableResult
        public mutating func update<T, R, E: Error>(
            _ setting: Setting<T>, _ body: (inout T) throws(E) -> R
        ) throws(E) -> R {
            try change(get(setting), of: setting, body)
        }

        private mutating func change<T, R, E: Error>(
            _ old: T, of setting: Setting<T>, _ body: (inout T) throws(E) -> R
        ) throws(E) -> R {
            var value = old
            HeldLocks.requireNone(before: "the closure of an update")
            let result = try body(&value)
            set(setting, to: value)
            return result
        }

        /// Changes a value in place, unless it is the default although another value is stored or may be stored. The transaction
        /// then fails without a call of `body`, whose error would come from a value that is not the stored one.
        mutating func updateKnown<T, R, E: Error>(
            _ setting: Setting<T>, _ body: (inout T) throws(E) -> R
        ) throws(E) -> R? {
            do throws(SettingsError) {
                try service.connection(for: setting.key).sources?.requireOpen(toCalculateFrom: setting.key)
            } catch {
                self.error = error
                return nil
            }
            let value = get(setting)
            error = error ?? refusal
            return error == nil ? try change(value, of: setting, body) : nil
        }

        /// Removes the setting's stored value when the transaction is applied.
        public mutating func reset(_ setting: SettingDefinition) {
            recordHooks(of: setting)
            let slot = setting.slot(in: service)
            entry(of: setting.key, slot.connection).write(nil, for: setting.key, of: slot)
        }

        /// Returns whether a value will be stored for the setting after the writes made so far.
        public mutating func isSet(_ setting: SettingDefinition) -> Bool {
            value(of: entry(of: setting.key), nil)?.row.hasValue ?? false
        }

        /// - Throws: `noStore` if a scope that was written to has no store.
        func requireStores() throws(SettingsError) {
            for entry in writtenEntries { _ = try entry.connection.requireSources(for: entry.key) }
        }

        /// Returns whether two keys are the same: one name, in scopes that have one store.
        func areOne(_ key: StorageKey, _ other: StorageKey) -> Bool {
            if key == other { return true }
            guard key.name == other.name, let sources = service.connection(for: key).sources else { return false }
            return sources.isSame(as: service.connection(for: other).sources)
        }

        /// Writes bytes when the transaction is applied.
        mutating func write(_ data: Data?, for key: StorageKey) { entry(of: key).write(data, for: key, of: nil) }

        /// Returns the bytes to move, as ``data(for:)`` does.
        ///
        /// - Throws: `readOnly` if only layers without a writable one have a value.
        mutating func dataToMove(from key: StorageKey) throws(SettingsError) -> Data? {
            if let data = data(for: key) { return data }
            guard let (row, sources, _) = value(of: entry(of: key), nil),
                sources.writableStore is UnwritableStore, let (source, candidate) = sources.candidates(row).first
            else { return nil }
            let store = candidate.location ?? sources.all[source].store?.storeDescription
            throw SettingsError(.readOnly, key: key, store: store, layer: candidate.layer)
        }

        /// Moves stored bytes from one key to another, unless the other key has another value.
        ///
        /// - Parameter set: Sets the other key.
        mutating func move(_ data: Data?, from source: StorageKey, to target: StorageKey, set: (inout Self) -> Void) {
            if areOne(source, target) { return set(&self) }
            let present = self.data(for: target)
            // The same value may already be there, if the program died between the two writes.
            guard present == nil || present == data else { return }
            set(&self)
            let entry = entry(of: source)
            entry.write(nil, for: source, of: nil)
            guard let sources = entry.connection.sources else { return }
            entry.isRemovedLast = !sources.isSame(as: service.connection(for: target).sources)
        }

        private mutating func recordHooks(of setting: SettingDefinition) {
            guard setting.hasHooks, hookedIdentifiers.insert(ObjectIdentifier(setting)).inserted else { return }
            // The old value that hooks are given must still be the stored one at the commit.
            _ = expected(entry(of: setting.key), setting.slot(in: service))
            hooked.append(setting)
        }

        /// The hooks to call around the transaction's changes.
        var hooks: CommitHooks {
            var hooks = CommitHooks()
            for setting in hooked {
                guard let entry = known(setting.key), let (row, sources) = entry.expected else { continue }
                let data = entry.written?.data
                if row[sources.writable]?.content.data == data { continue }
                let change = HookedChange(
                    old: row, new: row.replacing(sources.writable, by: .init(data)), newValue: entry.value,
                    sources: sources)
                setting.addHooks(of: change, in: service, to: &hooks)
            }
            return hooks
        }

        /// Returns the bytes written so far, or those in the layer that is written to.
        mutating func data(for key: StorageKey) -> Data? {
            let entry = entry(of: key)
            if let written = entry.written { return written.data }
            guard let (row, sources, _) = value(of: entry, nil) else { return nil }
            return row[sources.writable]?.content.data
        }

        /// Returns what the sources hold, with the bytes written so far, and what was in force before; nil if that cannot be read.
        private mutating func value(
            of entry: Entry, _ slot: AnySlot?
        ) -> (row: Row, sources: Sources, known: Verdict?)? {
            let written = entry.written
            if let written, let sources = entry.connection.sources, !sources.isLayered {
                return ([Held(content: .init(written.data))], sources, nil)
            }
            entry.isRead = true
            guard let (row, sources, known) = expected(entry, slot) else { return nil }
            guard let written else { return (row, sources, known) }
            return (row.replacing(sources.writable, by: .init(written.data)), sources, known)
        }

        /// Returns what the sources hold, and expects it to stay until the transaction is applied.
        private mutating func expected(
            _ entry: Entry, _ slot: AnySlot?
        ) -> (row: Row, sources: Sources, known: Verdict?)? {
            if let (row, sources) = entry.expected {
                let known = entry.known.flatMap { $0.slot === slot ? $0.verdict : nil }
                return (row, sources, known ?? slot?.settled)
            }
            let key = entry.key
            do throws(SettingsError) {
                let sources = try entry.connection.requireSources(for: key)
                if let slot, let (reading, _, _) = slot.look() {
                    if let problem = reading.row[reading.sources.writable]?.content.problem { throw problem }
                    entry.expected = (reading.row, reading.sources)
                    entry.known = (slot, reading.verdict)
                    return (reading.row, reading.sources, reading.verdict)
                }
                let row = try sources.read(key)
                entry.expected = (row, sources)
                return (row, sources, nil)
            } catch {
                // Unreadable is not empty: no value computed from it may be written.
                self.error = self.error ?? error.completed(key: key, store: nil)
                return nil
            }
        }

        // MARK: Entries

        /// The number of entries up to which comparing keys takes less time than a dictionary.
        private static var fewEntries: Int { 16 }

        /// Returns a key's entry; nil if there is none.
        private func known(_ key: StorageKey) -> Entry? {
            if entries.count > Self.fewEntries { return indices[key].map { entries[$0] } }
            return entries.first { $0.key == key }
        }

        private mutating func entry(of key: StorageKey) -> Entry { entry(of: key, service.connection(for: key)) }

        /// Returns a key's entry, and adds it if there is none.
        private mutating func entry(of key: StorageKey, _ connection: Connection) -> Entry {
            if let entry = known(key) { return entry }
            let entry = Entry(key: key, connection: connection)
            entries.append(entry)
            if entries.count == Self.fewEntries + 1 {
                for (place, entry) in entries.enumerated() { indices[entry.key] = place }
            } else if entries.count > Self.fewEntries {
                indices[key] = entries.count - 1
            }
            return entry
        }
    }
}

extension Sources {
    /// Tries to open the store if it is not open, so that a value can be calculated from the one under a key.
    ///
    /// - Throws: The reason if it cannot be opened.
    func requireOpen(toCalculateFrom key: SettingsService.StorageKey) throws(SettingsError) {
        do throws(SettingsError) {
            try requireOpen()
        } catch {
            throw SettingsError(
                error.code, key: key, store: error.store, underlying: StoreIsNotOpen(cause: error.underlying))
        }
    }
}
