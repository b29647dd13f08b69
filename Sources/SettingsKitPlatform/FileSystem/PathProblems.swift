import SettingsKitCore

package struct NulInPath: ValueFreeError {
    package init() {}

    package var description: String { "The path contains a NUL character." }
}

package struct NotAFileURL: ValueFreeError {
    package init() {}

    package var description: String { "The URL is not a file URL." }
}
