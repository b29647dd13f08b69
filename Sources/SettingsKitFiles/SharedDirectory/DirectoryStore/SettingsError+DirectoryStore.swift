import SettingsKitCore

extension SettingsError.Code {
    /// The code `notSaved`, if a shared directory cannot be read or written.
    static let notExported = Self(
        name: notSaved.name,
        advice:
            "The shared directory cannot be read or written; changes are safe on this device, and are shared when this "
            + "is possible again. Make room, check permissions, or mount it.")
    /// A device's clock is wrong: changes from more than a day in the future are held back until they are due, or until
    /// a replica vouches for them.
    public static let heldBack = Self(
        name: "heldBack", advice: "Values from the future are held back; set the clock of the device that wrote them.")
    /// The local state is a copy of another device's state, or was restored to an earlier one. It now has its own replica ID;
    /// nothing is lost.
    public static let copiedState = Self(
        name: "copiedState",
        advice: "The local state is a copy. It now has its own replica ID; nothing is lost.")
    /// Old values have come back with a device that was away for longer than removals are remembered. Some of them may
    /// have been removed meanwhile.
    public static let valuesReturned = Self(
        name: "valuesReturned",
        advice: "Old values have returned with a device that was away; remove the unwanted ones.")
    /// The code `unusedFile`, if a file is used in part.
    static let partlyUsedFile = Self(
        name: unusedFile.name,
        advice:
            "The intact part of the file is used; the rest changes no value. If the problem persists, make sure that the "
            + "syncer has carried all files, or start the program on the device that wrote the file.")
    /// A file in the shared directory cannot be used, or cannot be used yet. If it is damaged, has not arrived completely, or has
    /// records that exceed the limits, its intact part is used.
    public static let unusedFile = Self(
        name: "unusedFile", advice: "A file in the shared directory is not used; the others are.")
}
