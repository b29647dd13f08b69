import SettingsCommandLine
import SettingsKit

extension OpenedStore {
    func observe(
        _ names: [String], _ streams: CommandStreams,
        _ body: @escaping @Sendable (String, Bool, SettingsService.Origin, @escaping ObservedContent) -> Void
    ) throws -> [SettingsService.Subscription] {
        // It can take long until the problems are reported at the end.
        reportProblems(to: streams)
        guard let feed = store.feed else { throw CommandFailure.failure("\(description) does not report changes.") }
        let (names, directory) = (Set(names), store as? DirectoryStore)
        let subscription = feed.observe { changes, origin in
            for change in changes where names.isEmpty || names.contains(change.name) {
                let (name, data) = (change.name, change.newData)
                body(name, data != nil, origin) { columns in
                    let value = data.map(UntypedValue.init)
                    let device = directory?.lastChange(of: name)?.deviceName
                    return (value?.summary(columns: columns), value?.jsonText ?? .value("null"), device)
                }
            }
        }
        return [subscription]
    }
}
