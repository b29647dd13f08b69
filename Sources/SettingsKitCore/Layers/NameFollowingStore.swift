/// A store whose system announces the changes of other processes only to observers of a name.
///
/// A ``LayeredStore`` reads all values of a layer at once, and then passes each name that is read.
package protocol NameFollowingStore: SettingsStore {
    /// Begins to publish the changes of a name, also if it has no value. Called often with the same names.
    func follow(_ name: String)
}
