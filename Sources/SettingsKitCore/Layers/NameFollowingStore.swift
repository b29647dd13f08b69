/// A store that publishes the changes of a name only if it knows that the name is used: its system announces the changes of other
/// processes only to observers of a name, or its text has no list of names.
///
/// Names that are read or listened to are used. A ``LayeredStore`` reads all values of a layer at once, and then passes each name
/// that is used.
package protocol NameFollowingStore: SettingsStore {
    /// Begins to publish the changes of a name, also if it has no value. Called often with the same names.
    func follow(_ name: String)
}
