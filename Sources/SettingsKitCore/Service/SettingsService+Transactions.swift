#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// Performs several reads and writes together: all of them or none. Listeners to several settings are notified once.
    ///
    /// `body` is called on this thread, without a lock held. It runs again if a value that it has read changes before the
    /// transaction is applied. So it should only compute, and return its results. If it only reads, the values that it has read in
    /// one store with a feed are those of one moment.
    ///
    /// In one store, all or nothing is as strict as the store's ``SettingsStore/apply(_:)``. If the scopes have several stores, each
    /// takes its part all or nothing, in the order `.defaults`, `.shared`, custom scopes by their ids. If a store fails, the error
    /// names its scope, and the parts before it stay.
    ///
    /// Problems are diagnosed, and ``save(_:)`` throws them. It is a problem if the closure reads a value that
    /// is the default although another one is stored; see ``Transaction/get(_:)``. It is also one if a store is not open yet (see
    /// ``init(shared:storesForCustomScopes:diagnosticSink:)``): such a store keeps only what ``set(_:to:)`` and ``reset(_:)`` change.
    ///
    /// - Returns: the result of the run that was applied; nil if nothing was changed because of a problem.
    @discardableResult
    public func transaction<R>(_ body: (inout Transaction) -> R) -> R? {
        let (result, error) = attempt(.ofSave, body)
        guard let error else { return result }
        reportFailure(error)
        return nil
    }

    /// Performs several reads and writes together, as ``transaction(_:)`` does, and throws errors.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; nothing is changed then, but in the stores before one that failed.
    /// - Returns: the result of the run that was applied.
    @discardableResult
    public func save<R>(_ body: (inout Transaction) throws -> R) throws -> R {
        let (result, error) = try attempt(.ofSave, body)
        if let error { throw error }
        return result
    }

    /// Changes a value in place, so that no concurrent change is lost.
    ///
    /// `body` is called on this thread, without a lock held. It runs again on the new value if the setting changes meanwhile.
    /// Problems are diagnosed, and the old value stays; `save { $0.update(setting, body) }` throws them.
    ///
    /// It changes the value in force, which may be the last good one. If that is the default although another value is stored, or
    /// if the store is not open yet, it changes nothing and does not call `body`: the stored value would be lost, or the new value
    /// would not be calculated from it. Use ``set(_:to:)`` or ``reset(_:)`` then; ``load(_:)`` throws the reason.
    ///
    /// - Throws: the error of `body`; the old value stays.
    /// - Returns: the result of the run that was applied; nil if the old value stays because of a problem.
    @discardableResult
    public func update<T, R, E: Error>(_ setting: Setting<T>, _ body: (inout T) throws(E) -> R) throws(E) -> R? {
        let (result, error) = try attempt(.ofSave) { (transaction: inout Transaction) throws(E) -> R? in
            try transaction.updateKnown(setting, body)
        }
        guard let error else { return result }
        reportFailure(error)
        return nil
    }

    /// Applies a transaction whose closure does not fail, and throws errors.
    ///
    /// A store that is not open yet keeps the changes if the options allow it.
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
