extension SettingsService {
    // MARK: One setting

    /// Returns the setting's current value, then the newest one after each change.
    ///
    /// A slow reader skips values, and always receives the newest; the last value that it receives is the stored one. The sequence
    /// ends when its task is cancelled.
    public func values<T>(of setting: Setting<T>) -> Stream<T> {
        values(of: setting) { self.get(setting) }
    }

    /// Returns the same values, and reads them with `read`.
    func values<T>(of setting: Setting<T>, read: @escaping @Sendable () -> T) -> Stream<T> {
        let connection = connection(for: setting.key)
        return Stream {
            Stream.values(read, at: { connection.sequence }) { self.subscription(to: setting, .signal($0)) }
        }
    }

    /// Returns every change of the setting, in order.
    ///
    /// A reader that falls more than a thousand changes behind receives the newest of them merged into one, so that each change's
    /// `oldValue` is always the `newValue` of the one before. The sequence ends when its task is cancelled.
    public func changes<T>(of setting: Setting<T>) -> Stream<Change<T>> {
        Stream {
            let source = StreamSource<Change<T>>(limit: CoreLimits.waitingChanges) { last, newer in
                Change(
                    key: newer.key, oldValue: last.oldValue, newValue: newer.newValue, isSet: newer.isSet,
                    origin: last.origin == .external ? .external : newer.origin)
            }
            return source.elements(from: self.observe(setting) { source.push($0) })
        }
    }

    /// Calls `body` after each change of the setting, until the subscription is cancelled or released.
    ///
    /// `body` is called for one change at a time, in order, on the thread that made the change or on one that already delivers
    /// others; for external changes, on a thread of the store. No lock is held: `body` may read, set, subscribe and cancel. A
    /// change that it makes is delivered after it returns. It should return soon, because other listeners of the same store wait
    /// for it.
    public func observe<T>(_ setting: Setting<T>, _ body: @escaping @Sendable (Change<T>) -> Void) -> Subscription {
        let deliver: @Sendable (SlotChange, SettingListener) -> Void = { change, listener in
            let change = Change<T>(change)
            listener.call { body(change) }
        }
        return subscription(to: setting, .change(deliver))
    }

    /// Calls `body` after each change with the given origin, until the subscription is cancelled or released. With
    /// ``Origin/external``, these are the changes that this process has not made.
    ///
    /// Otherwise it behaves like ``observe(_:_:)``.
    public func observe<T>(
        _ setting: Setting<T>, from origin: Origin, _ body: @escaping @Sendable (Change<T>) -> Void
    ) -> Subscription {
        observe(setting) { change in if change.origin == origin { body(change) } }
    }

    /// Returns the setting as an object that SwiftUI and `withObservationTracking` can track.
    public func value<T>(_ setting: Setting<T>) -> Value<T> {
        Value(setting, in: self)
    }

    func subscription<T>(to setting: Setting<T>, _ body: SettingListener.Body) -> Subscription {
        let end = connection(for: setting.key).listen(to: slot(for: setting), body)
        return Subscription {
            end()
            // A subscription holds the service and the setting, which keep the listened objects alive.
            withExtendedLifetime((self, setting)) {}
        }
    }

    // MARK: Several settings

    /// Returns the current values of several settings, then the newest ones after each change of one or more; once for the changes
    /// of one transaction.
    ///
    /// Otherwise it behaves like the values of one setting. The values of one element that come from one store are of one moment,
    /// if the store publishes its changes. Values of several stores need not be; the next element then has the newer ones. While
    /// a writer changes the settings without a pause, there may be no next element.
    public func values<First, Second, each Other>(
        of first: Setting<First>, _ second: Setting<Second>, _ others: repeat Setting<each Other>
    ) -> Stream<(First, Second, repeat each Other)> {
        var keys: Set = [first.key, second.key]
        for other in repeat each others { keys.insert(other.key) }
        return Stream { [keys] in
            let source = StreamSource<Void>(limit: 1) { _, _ in }
            let next = source.elements(
                from: self.observe(GroupListener(keys: keys, scope: nil) { _ in source.push(()) }))
            source.push(())
            @Sendable func moments() -> [UInt64] {
                var moments = [self.slot(for: first).moment, self.slot(for: second).moment]
                for other in repeat each others { moments.append(self.slot(for: other).moment) }
                return moments
            }
            return {
                while await next() != nil {
                    var before = moments()
                    for attempt in 1...CoreLimits.readingAttempts {
                        let values = (self.get(first), self.get(second), repeat self.get(each others))
                        let after = moments()
                        if after == before { return values }
                        // A store that does not publish all changes may give another answer each time.
                        if attempt == CoreLimits.readingAttempts,
                            !keys.allSatisfy({ self.connection(for: $0).isExhaustive })
                        {
                            return values
                        }
                        before = after
                    }
                    // A writer changes the settings all the time.
                    source.push(())
                    await Task.yield()
                }
                return nil
            }
        }
    }

    /// Returns which of the given settings have changed, each time that one or more have.
    ///
    /// The changes of one transaction are one element; so are those that a slow reader has missed.
    public func changes(
        of first: SettingDefinition, _ second: SettingDefinition, _ others: SettingDefinition...
    ) -> Stream<ChangeSet> {
        let keys = Set([first.key, second.key] + others.map(\.key))
        return changes(keys: keys, scope: nil)
    }

    /// Returns which settings have changed in a scope, or in all scopes, each time that one or more have, including those that this
    /// program does not define.
    public func changes(in scope: Scope? = nil) -> Stream<ChangeSet> {
        changes(keys: nil, scope: scope)
    }

    /// Calls `body` each time that one or more of the given settings have changed; once for the changes of one transaction.
    ///
    /// Otherwise it behaves like ``observe(_:_:)``.
    public func observe(
        _ first: SettingDefinition, _ second: SettingDefinition, _ others: SettingDefinition...,
        body: @escaping @Sendable (ChangeSet) -> Void
    ) -> Subscription {
        let keys = Set([first.key, second.key] + others.map(\.key))
        return observe(GroupListener(keys: keys, scope: nil, body: body))
    }

    /// Calls `body` each time that settings have changed in a scope, or in all scopes.
    public func observe(
        in scope: Scope? = nil, _ body: @escaping @Sendable (ChangeSet) -> Void
    ) -> Subscription {
        observe(GroupListener(keys: nil, scope: scope, body: body))
    }

    private func changes(keys: Set<StorageKey>?, scope: Scope?) -> Stream<ChangeSet> {
        Stream {
            let source = StreamSource<ChangeSet>(limit: CoreLimits.waitingChangeSets) { $0.merged(with: $1) }
            return source.elements(
                from: self.observe(GroupListener(keys: keys, scope: scope) { source.push($0) }))
        }
    }

    private func observe(_ listener: GroupListener) -> Subscription {
        let end = connections.add(listener)
        return Subscription {
            end()
            withExtendedLifetime(self) {}
        }
    }
}
