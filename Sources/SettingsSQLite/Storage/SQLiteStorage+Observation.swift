import SettingsKitCore

extension SQLiteStorage {
    /// Publishes the result of `body`, first the current one, and then one after each change, local or external.
    ///
    /// ```swift
    /// for await user in storage.values({ try $0.select(User.where(Column("id") == 7)) }) { ... }
    /// ```
    ///
    /// `body` runs again after a commit that has written one of the tables that it has read, and after any commit of
    /// another process. If its result is the same, nothing is published. A commit of another process is noticed within
    /// milliseconds if the process uses this module or closes the database, otherwise within 12 seconds.
    ///
    /// A slow reader skips results, and always receives the newest. The sequence costs no thread, ends when its task is
    /// cancelled, and keeps the storage open.
    ///
    /// - Parameters:
    ///   - body: Reads. Its result must depend on nothing else.
    ///   - handler: Receives errors. The sequence continues with the next change. Without a handler,
    ///     `SettingsService.DiagnosticSink.standard` receives the errors.
    public func values<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteDatabase) throws -> Value,
        catch handler: (@Sendable (any Error) -> Void)? = nil
    ) -> SettingsService.Stream<Value> {
        SettingsService.Stream { [self] in
            let observer = Observer()
            observers.add(observer)
            observer.signal.push(())
            let signals = observer.signal.elements(from: .init { [self] in observers.remove(observer) })
            return { await self.next(body, of: observer, signals, handler) }
        }
    }

    private func next<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) throws -> Value, of observer: Observer,
        _ signals: SettingsService.Stream<Void>.Next, _ handler: (@Sendable (any Error) -> Void)?
    ) async -> Value? {
        while await signals() != nil {
            do {
                observer.beginReading()
                let (value, access, digest) = try await using(readers) {
                    try self.read(on: $0, $1, isObserved: true, body)
                }
                if observer.endReading(access, digest: digest) { return value }
            } catch is CancellationError where Task.isCancelled {
                return nil
            } catch {
                HeldLocks.requireNone(before: "the handler of an error")
                if let handler { handler(error) } else { report(error) }
            }
        }
        return nil
    }

    private func report(_ error: any Error) {
        SettingsService.DiagnosticSink.standard.receive(.wrap(error, as: .readFailed, store: description))
    }
}
