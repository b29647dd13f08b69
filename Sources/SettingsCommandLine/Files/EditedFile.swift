import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A text that a person edits: a file that only its owner can read, in a private directory.
struct EditedFile {
    /// The number of lines before the text. They begin with `#`.
    static let headerLines = 2

    private let directory: String
    private var path: String { directory + "/settings.json" }

    /// - Throws: A failure if the directory cannot be created.
    init() throws(CommandFailure) {
        var template = Array((FileManager.default.temporaryDirectory.path + "/settings-edit-XXXXXX").utf8CString)
        guard let created = mkdtemp(&template) else {
            throw .failure("No file can be created in the directory for temporary files. Nothing was changed.")
        }
        directory = String(cString: created)
    }

    /// Removes the file, and what the editor has left beside it. What cannot be removed stays in the private directory.
    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    /// Opens an editor with a text under a line, and waits until the editor ends.
    ///
    /// - Returns: The text, without the lines at its beginning that begin with `#`.
    /// - Throws: A failure if the editor fails, a signal arrives, or the text is not UTF-8.
    func edit(_ text: String, under line: String, _ interruption: Interruption) throws -> String {
        let line = TextLayout.escaped(line.split(separator: "\n").joined(separator: " "))
        let whole = "# \(line)\n# Close the editor without a change to give up.\n\(text)"
        // A new file, with its own permissions. If the old one cannot be removed, the new one cannot be written.
        try? FileManager.default.removeItem(atPath: path)
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(whole.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else {
            throw CommandFailure.failure("The file for the editor cannot be written. Nothing was changed.")
        }
        try runEditor(interruption)
        guard let data = FileManager.default.contents(atPath: path),
            let edited = String(validating: data, as: UTF8.self)
        else {
            throw CommandFailure.failure("The edited file is missing, or is not text in UTF-8. Nothing was changed.")
        }
        var rest = edited[...]
        while rest.first == "#" { rest = rest.drop { !$0.isNewline }.dropFirst() }
        return String(rest)
    }

    private func runEditor(_ interruption: Interruption) throws(CommandFailure) {
        let names: [String] = ["VISUAL", "EDITOR"]
        let variables = names.compactMap { (name: String) in getenv(name).map { String(cString: $0) } }
        let editor = variables.first { !$0.isEmpty } ?? "vi"
        // The variable may have arguments.
        let words: [String] = ["/bin/sh", "-c", "exec \(editor) \"$@\"", editor, path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var (process, status) = (pid_t(), Int32(0))
        guard posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ) == 0 else {
            throw .failure("The editor cannot be started. Nothing was changed.")
        }
        while waitpid(process, &status, WNOHANG) == 0 {
            if interruption.hasArrived {
                kill(process, SIGTERM)
                waitpid(process, &status, 0)
            } else {
                usleep(20_000)
            }
        }
        if interruption.hasArrived { throw .failure("Editing was interrupted. Nothing was changed.") }
        guard status == 0 else {
            throw .failure("The editor \(quoted(editor)) has failed. Nothing was changed. Set EDITOR to another one.")
        }
    }
}
