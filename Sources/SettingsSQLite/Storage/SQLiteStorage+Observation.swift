import SettingsKitCore

extension SQLiteStorage {
    /// Publishes what `body` reads: at first, and after each change, local or external.
    ///
    /// ```swift
    /// for await user in storage.keepInformed(about: { try $0.select(User.where(Column("id") == 7)) }) { ... }
    /// ```
    ///
    /// `body` is run again after a commit that has written one of the tables that it has read, and after any commit of another
    /// process. If it then reads the same as before, nothing is published. A commit of another process is noticed within milliseconds if
    /// it uses this module or closes the database, otherwise within 12 seconds.
    ///
    /// A reader that is slower than the changes skips some, and always gets the newest; the sequence costs no thread, and ends
    /// when its task is cancelled. It keeps the storage open.
    ///
    /// - Parameters:
    ///   - body: Reads; its result must depend on nothing else.
    ///   - handler: Receives errors, after which the sequence goes on with the next change. Without one,
    ///     `SettingsService.DiagnosticSink.standard` does.
    public func keepInformed<Value: Sendable>(
        about body: @escaping @Sendable (SQLiteDatabase) throws -> Value,
        catch handler: (@Sendable (any Error) -> Void)? = nil
    ) -> SettingsService.Stream<Value> {
        SettingsService.Stream { [self] in
            let observer = Observer()
            observers.add(observer)
            observer.signal.push(())
            let owner = StreamOwner(observer.signal) { [self] in observers.remove(observer) }
            return { await self.next(body, of: observer, owner, handler) }
        }
    }

    private func next<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) throws -> Value, of observer: Observer, _ owner: StreamOwner<Void>,
        _ handler: (@Sendable (any Error) -> Void)?
    ) async -> Value? {
        while await owner.next() != nil {
            do {
                observer.beginReading()
                let (value, access, digest) = try await using(readers) {
                    try self.read(on: $0, $1, isObserved: true, body)
                }
                if observer.endReading(access, digest: digest) { return value }
            } catch is CancellationError where Task.isCancelled {
                return nil
            } catch {
                if let handler { handler(error) } else { report(error) }
            }
        }
        return nil
    }

    private func report(_ error: any Error) {
        SettingsService.DiagnosticSink.standard.receive(.wrap(error, as: .readFailed, store: description))
    }
}
