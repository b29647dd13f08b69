import SettingsKitPlatform

/// What a shared directory needs of the property list that holds its state.
extension JournaledPropertyList {
    /// The greatest size of a record's other fields beside a name and its bytes.
    static var fieldsSize: Int { PropertyListLimits.recordFields }

    /// Opens the state of a shared directory.
    ///
    /// - Parameter presentation: Converts changes for the feed.
    convenience init(
        path: String, fileSystem: any FileSystem, isWatching: Bool, writingDelay: Duration, patience: Duration,
        limits: PropertyListStoreLimits, isDetached: Bool, keepsJournalsFlushed: Bool, description: String,
        presentation: @escaping PublishedContents.Presentation
    ) throws {
        var setup = PropertyListSetup(path: path, fileSystem: fileSystem)
        (setup.isWatching, setup.writingDelay, setup.patience) = (isWatching, writingDelay, patience)
        (setup.limits, setup.isDetached, setup.keepsJournalsFlushed) = (limits, isDetached, keepsJournalsFlushed)
        (setup.description, setup.presentation) = (description, presentation)
        try self.init(setup)
    }

    /// Refuses changes that would make the property list too large to be read.
    ///
    /// - Parameter others: The bytes of later changes.
    func requireRoom(for changes: [JournalChange], beside others: Int) throws {
        try contents.requireRoom(for: changes, beside: others)
    }
}
