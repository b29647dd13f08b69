import SettingsCore

extension SettingsError.Code {
    /// The shared directory could not be read or written. What was set is safe on this device, and it is tried again.
    public static let notExported = Self(
        name: "notExported",
        advice:
            "The shared directory cannot be read or written; changes are safe on this device, and are shared when this "
            + "is possible again. Make room, check permissions, or mount it.")
    /// Another device's clock is wrong: some of its values are held back until they are due.
    public static let heldBack = Self(
        name: "heldBack", advice: "Values from the future are held back; set the clock of the device that wrote them.")
    /// The local state was found to be a copy of another device's, or to have been put back to an earlier time; it goes on
    /// as a replica of its own. Nothing is lost.
    public static let copiedState = Self(
        name: "copiedState",
        advice: "The local state is a copy; it goes on as a replica of its own, and nothing is lost.")
    /// A device has returned after so long that values that were removed since may have come back with it.
    public static let returned = Self(
        name: "returned",
        advice: "Old values have come back with a device that was away; remove those that are not wanted.")
    /// A file in the shared directory can be used in part only: it is damaged, has not arrived completely, or has records
    /// that are larger than allowed.
    public static let partlyUsedFile = Self(
        name: "partlyUsedFile",
        advice:
            "What is intact in the file is used, and no value changes because of the rest. If this stays so, see that the "
            + "syncer has carried all files, or start the program on the device that wrote the file.")
    /// A file in the shared directory cannot be used, or not yet.
    public static let unusedFile = Self(
        name: "unusedFile", advice: "A file in the shared directory is not used; the others are.")
}
