extension SettingsService {
    /// Carries out several reads and writes together: all of them or none. Listeners to several settings are notified
    /// once.
    ///
    /// `body` may run more than once, on any thread, without a lock held: it runs again when a value that it has read was
    /// changed before the transaction could be applied, and when a store becomes available that could not be opened (see
    /// ``init(shared:storesForCustomScopes:diagnosticSink:)``). So it should do nothing but compute; return what you want to
    /// know. If it only reads, the values that it has read in one store with a feed are those of one moment. Within one scope,
    /// all or nothing is as strict as the store's ``SettingsStore/apply(_:)``. Across scopes, a scope that fails has the others
    /// set back, which readers may see.
    ///
    /// Problems are diagnosed, and nothing is changed; ``save(_:)`` throws them, and takes a closure that need not be
    /// `Sendable`. One is a value that was read as its default although something is stored, as ``Transaction/get(_:)``
    /// describes.
    ///
    /// - Returns: the result of the run that counted; nil if nothing was changed because of a problem.
    @discardableResult
    public func transaction<R>(_ body: @escaping @Sendable (inout Transaction) -> R) -> R? {
        let (result, error): (R, SettingsError?) = attempt(body) { service throws(SettingsError) in
            try service.repeat { _ = body(&$0) }
        }
        guard let error else { return result }
        reportFailure(error)
        return nil
    }

    /// Carries out several reads and writes together, with a closure that may throw, and throws what went wrong.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; nothing is changed then.
    @_disfavoredOverload
    @discardableResult
    public func transaction<R>(_ body: (inout Transaction) throws -> R) throws -> R {
        try save(body)
    }

    /// Carries out several reads and writes together, and throws what went wrong.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; nothing is changed then.
    @discardableResult
    public func save<R>(_ body: (inout Transaction) throws -> R) throws -> R {
        let (result, error) = try attempt(body)
        if let error { throw error }
        return result
    }

    /// Changes a value in place, so that no other change is lost in between.
    ///
    /// `body` may run more than once, on any thread, without a lock held: it runs again on the new value when the setting
    /// was changed meanwhile, and on the stored value when a store becomes available that could not be opened (see
    /// ``init(shared:storesForCustomScopes:diagnosticSink:)``). Problems are diagnosed, and the old value stays.
    ///
    /// It changes the value in force, which may be the last good one. Where that is the default although something is stored,
    /// which cannot be decoded for example, nothing is changed: ``set(_:to:)`` replaces what is stored, ``reset(_:)`` removes it.
    ///
    /// - Returns: the result of the run that counted; nil if the old value stays because of a problem.
    @discardableResult
    public func update<T, R>(_ setting: Setting<T>, _ body: @escaping @Sendable (inout T) -> R) -> R? {
        transaction { (transaction: inout Transaction) -> R in transaction.update(setting, body) }
    }

    /// Changes a value in place with a closure that may throw, and throws what went wrong.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; the old value stays.
    @_disfavoredOverload
    @discardableResult
    public func update<T, R>(_ setting: Setting<T>, _ body: (inout T) throws -> R) throws -> R {
        try save { (transaction: inout Transaction) throws -> R in try transaction.update(setting, body) }
    }

    /// How often a transaction is begun again before it is given up. Others make progress each time, so that this many
    /// failures mean a store that never answers twice the same.
    static var attemptLimit: Int { 10_000 }

    /// Applies a transaction whose closure does not fail, and throws what went wrong.
    ///
    /// - Parameter isKept: Whether a store that is not open yet keeps the transaction; if not, it throws.
    func commit(isKept: Bool, _ body: @escaping @Sendable (inout Transaction) -> Void) throws(SettingsError) {
        let operation: PendingOperation.Body = { service throws(SettingsError) in try service.repeat(body) }
        let (_, error) = attempt(body, operation: isKept ? operation : nil, waitsForAgreement: !isKept)
        if let error { throw error }
    }

    /// Makes writes again that were made before, on another store.
    func repeatWrites(_ writes: [SettingsStoreBatch.Entry]) throws(SettingsError) {
        try `repeat` { transaction in for write in writes { transaction.write(write.data, for: write.key) } }
    }

    /// Applies a transaction that was applied before, on another store.
    private func `repeat`(_ body: (inout Transaction) -> Void) throws(SettingsError) {
        let (_, error) = attempt { transaction in
            transaction.callsHooks = false
            body(&transaction)
        }
        if let error { throw error }
    }

    private func attempt<R, E: Error>(
        _ body: (inout Transaction) throws(E) -> R, operation: PendingOperation.Body? = nil,
        waitsForAgreement: Bool = true
    ) throws(E) -> (R, SettingsError?) {
        var transaction = Transaction(service: self)
        transaction.operation = operation
        transaction.waitsForAgreement = waitsForAgreement
        return try Transaction.run(transaction, body)
    }
}
