/// Judging what stores hold, outside of every lock. A change may be judged by several threads, but the first verdict counts: no
/// reader waits for a user's code on another thread.
extension ScopeConnection {
    /// What a reader of a setting has to do.
    enum Reading {
        /// Read the store, because nothing else is known.
        case store(ConnectedStore?, token: UInt64)
        /// Judge a change first.
        case judging
        /// Use this value, and cache it if there is a token.
        case value(ValueInForce, token: UInt64?)
    }

    /// Returns what a reader of a setting has to do.
    ///
    /// - Parameters:
    ///   - begin: The number of the last commit when the reader began, which it sets. Later changes need not be judged.
    ///   - isInside: Whether the caller is the setting's own code that judges: it gets what is in force.
    func reading(of setting: any CachedSetting, since begin: inout UInt64?, isInside: Bool) -> Reading {
        state.withLock { state in
            let since = begin ?? state.sequence
            begin = since
            let reading: Reading? =
                state.settings.update(setting) { cell in
                    guard isExhaustive else { return nil }
                    let unjudged = cell.firstUnjudged
                    if let unjudged, unjudged.change.first <= since, !isInside { return .judging }
                    guard let inForce = cell.lastVerdict, !inForce.isProvisional else { return nil }
                    return .value(inForce, token: unjudged == nil ? setting.token : nil)
                } ?? nil
            return reading ?? .store(state.store, token: setting.token)
        }
    }

    /// Records what a reader has found to be in force, unless the setting has changed since.
    func settle(_ inForce: ValueInForce, of setting: any CachedSetting, token: UInt64) {
        let replaced = state.withLock { state in
            state.settings.update(setting) { cell -> ValueInForce? in
                guard isExhaustive, setting.token == token else { return nil }
                defer { cell.settle(inForce) }
                return cell.inForce
            } ?? nil
        }
        withExtendedLifetime(replaced) {}
    }

    /// Judges the first change of a setting that has no verdict.
    ///
    /// - Returns: False if the verdict does not count, because another thread was faster, or the change is another one now.
    @discardableResult func judgeNext(of setting: any CachedSetting) -> Bool {
        let (unjudged, store) = state.withLock { state in
            (state.settings.update(setting) { $0.firstUnjudged } ?? nil, state.store)
        }
        guard let unjudged else { return true }
        let change = unjudged.change
        var before = unjudged.before ?? ValueInForce(change.old)
        // A store that does not publish all of its changes may have changed without a notification.
        let isGap = !change.isConnection && !change.isContinuous && before.stored != change.old
        // It was read when it was connected, after this change and before its publication.
        let isKnown = isGap && before.knowledge == .read && before.stored == change.new
        if isGap && !isKnown { before = ValueInForce(change.old) }
        before = setting.judge(before, after: nil)
        var verdict = isKnown ? before : before.followed(by: change)
        if change.isConnection {
            verdict = found(by: unjudged, of: setting, in: store)
        } else if before.isProvisional, let store {
            let old = ValueInForce(change.old, named: setting.name, after: store.feed.earlier)
            verdict = setting.judge(old, after: nil).followed(by: change)
        }
        verdict = setting.judge(verdict, after: before)
        report(verdict.resolution?.rejections ?? [])
        if change.isFromOutside, let store, let resolution = verdict.resolution {
            store.feed.earlier.record(resolution, named: setting.name)
        }
        let (replaced, isRecorded) = state.withLock { state in
            state.settings.update(setting) { cell in
                (cell.inForce, cell.judge(unjudged, verdict, after: before))
            } ?? (nil, true)
        }
        withExtendedLifetime(replaced) {}
        return isRecorded
    }

    /// Returns what a newly connected store holds.
    private func found(
        by unjudged: SettingCell.Unjudged, of setting: any CachedSetting, in store: ConnectedStore?
    ) -> ValueInForce {
        // The service may have been released.
        guard let store else { return ValueInForce(.nothing) }
        do throws(SettingsError) {
            var stored = unjudged.found
            if stored == nil { stored = try store.read(.init(setting.name, scope: scope)) }
            return ValueInForce(
                stored ?? .nothing(in: store), named: setting.name, after: store.feed.earlier,
                knowledge: unjudged.found == nil ? .read : .published)
        } catch {
            diagnostics.reportOnce(error)
            return ValueInForce(.nothing(in: store), knowledge: .provisional)
        }
    }

    /// Reports the stored values that the setting rejects, once for each cause.
    func report(_ rejections: [Resolution.Rejection]) {
        for rejection in rejections { reportOnce(rejection.error, bytes: rejection.candidate.data) }
    }
}
