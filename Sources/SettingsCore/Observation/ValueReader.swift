import Synchronization

/// Reads a setting for a stream of its values: once for each commit that it has not seen yet.
final class ValueReader<Value: Codable & Sendable>: Sendable {
    private let service: SettingsService
    private let setting: SettingsService.Setting<Value>
    private let seen = Mutex<UInt64>(0)

    init(service: SettingsService, setting: SettingsService.Setting<Value>) {
        self.service = service
        self.setting = setting
    }

    /// The setting's value, when a signal says that there is one which was not read yet.
    func next(from owner: StreamOwner<UInt64>) async -> Value? {
        while let signal = await owner.next() {
            // Whatever was committed up to this number, the value that is read now includes it.
            let sequence = service.channel(for: setting.key).sequence
            let isNew = seen.withLock { seen in
                guard signal > seen else { return false }
                seen = sequence
                return true
            }
            if isNew { return service.get(setting) }
        }
        return nil
    }
}
