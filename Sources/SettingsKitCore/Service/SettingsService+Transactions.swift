extension SettingsService {
    /// Carries out several reads and writes together: all of them or none. Listeners to several settings are notified
    /// once.
    ///
    /// `body` is called on this thread, without a lock held, and again when a value that it has read was changed before the
    /// transaction could be applied. So it should do nothing but compute; return what you want to know. If it only reads, the
    /// values that it has read in one store with a feed are those of one moment. Within one scope, all or nothing is as strict
    /// as the store's ``SettingsStore/apply(_:)``. Across scopes, a scope that fails has the others set back, which readers may
    /// see.
    ///
    /// Problems are diagnosed, and nothing is changed; ``save(_:)`` throws them. One is a value that was read as its default
    /// although something is stored, as ``Transaction/get(_:)`` describes. Another is a value that was read in a store that is
    /// not open yet (see ``init(shared:storesForCustomScopes:diagnosticSink:)``): such a store keeps only what is set without
    /// reading.
    ///
    /// - Returns: the result of the run that counted; nil if nothing was changed because of a problem.
    @discardableResult
    public func transaction<R>(_ body: (inout Transaction) -> R) -> R? {
        let (result, error) = attempt(.ofTransaction, body)
        guard let error else { return result }
        reportFailure(error)
        return nil
    }

    /// Carries out several reads and writes together, as ``transaction(_:)`` does, and throws what went wrong.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; nothing is changed then.
    /// - Returns: the result of the run that counted.
    @discardableResult
    public func save<R>(_ body: (inout Transaction) throws -> R) throws -> R {
        let (result, error) = try attempt(.ofSave, body)
        if let error { throw error }
        return result
    }

    /// Changes a value in place, so that no other change is lost in between.
    ///
    /// `body` is called on this thread, without a lock held, and again on the new value when the setting was changed
    /// meanwhile. Problems are diagnosed, and the old value stays; `save { $0.update(setting, body) }` throws them.
    ///
    /// It changes the value in force, which may be the last good one. Where that is the default although something is stored,
    /// or where the store is not open yet, it changes nothing: the change would be lost, or calculated from a value that is not
    /// the stored one. `body` is not called then. Use ``set(_:to:)``, ``reset(_:)``, or what ``load(_:)`` throws.
    ///
    /// - Throws: the error of `body`; the old value stays.
    /// - Returns: the result of the run that counted; nil if the old value stays because of a problem.
    @discardableResult
    public func update<T, R, E: Error>(_ setting: Setting<T>, _ body: (inout T) throws(E) -> R) throws(E) -> R? {
        let (result, error) = try attempt(.ofSave) { (transaction: inout Transaction) throws(E) -> R? in
            try transaction.updateKnown(setting, body)
        }
        guard let error else { return result }
        reportFailure(error)
        return nil
    }

    /// How often a transaction is begun again before it is given up. Others make progress each time, so that this many
    /// failures mean a store that never answers twice the same.
    static var attemptLimit: Int { 10_000 }

    /// Applies a transaction whose closure does not fail, and throws what went wrong.
    ///
    /// A store that is not open yet keeps the changes if the options say so.
    func commit(_ options: SettingsStoreBatch.Options, _ body: (inout Transaction) -> Void) throws(SettingsError) {
        let (_, error) = attempt(options, body)
        if let error { throw error }
    }

    private func attempt<R, E: Error>(
        _ options: SettingsStoreBatch.Options, _ body: (inout Transaction) throws(E) -> R
    ) throws(E) -> (R, SettingsError?) {
        try Transaction.run(Transaction(service: self, options: options), body)
    }
}
