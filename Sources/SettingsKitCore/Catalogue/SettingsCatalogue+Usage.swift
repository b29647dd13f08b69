extension SettingsCatalogue {
    /// The settings that a program has not read, and the values that no setting reads: why something has no effect.
    public struct Usage: Sendable {
        /// The names of the settings that the service has not read, and that nothing has listened to, in the catalogue's order.
        public let unreadSettings: [String]
        /// The names in stores and files, the variables and the options that no setting has.
        public let unknownNames: [Problem]
    }

    /// Returns which settings a service has not read so far, and which values no setting reads.
    ///
    /// A program calls it when it has read its settings, for example at its end. Reading costs nothing more for it: the service knows
    /// a setting's first reading. Lists of settings, ``check(in:)`` and setting a value are no reading, and another service's readings
    /// do not count.
    ///
    /// An unknown option may be one that the program reads itself; ``parse(_:flags:)`` refuses unknown ones.
    public func usage(in service: SettingsService) -> Usage {
        let unread = settings.filter { !service.connection(for: $0.key).isUsed($0.key.name) }
        let unknown = textProblems(in: service) + unknownNames(in: service)
        return Usage(
            unreadSettings: unread.map(name),
            unknownNames: unknown.filter { [.unknownName, .unknownVariable, .unknownOption].contains($0.kind) })
    }
}

extension SettingsCatalogue.Usage: CustomStringConvertible {
    /// A line for each name, without values.
    public var description: String {
        let unread = unreadSettings.map { "\($0): The program has not read this setting." }
        return (unread.map { TextLayout.escaped($0) } + unknownNames.map(\.description)).joined(separator: "\n")
    }
}
