import SettingsKitCore

extension SettingsError.Code {
    /// The code `notSaved`, if a shared directory cannot be read or written.
    static let notExported = Self(
        name: notSaved.name,
        advice:
            "The shared directory cannot be read or written; changes are safe on this device, and are shared when this "
            + "is possible again. Make room, check permissions, or mount it.")
    /// The local state is a copy of another device's state, or was restored to an earlier one. It now has its own replica ID;
    /// nothing is lost.
    public static let copiedState = Self(
        name: "copiedState",
        advice: "The local state is a copy. It now has its own replica ID; nothing is lost.")
    /// The code `unusedFile`, if a file is used in part.
    static let partlyUsedFile = Self(
        name: unusedFile.name,
        advice:
            "The intact lines of the file are used; the others change no value. The device that wrote the file writes it "
            + "again.")
    /// A file in the shared directory cannot be used, or cannot be used yet. If it is damaged, its intact lines are used.
    public static let unusedFile = Self(
        name: "unusedFile", advice: "A file in the shared directory is not used; the others are.")
}
