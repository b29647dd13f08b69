import SettingsCommandLine
import SettingsKit

extension SettingsTool {
    func prefix(_ invocation: Invocation) throws(CommandFailure) -> String {
        let prefix = try invocation.text(of: .variablePrefix) ?? ""
        guard prefix.unicodeScalars.allSatisfy(EnvironmentTransfer.isVariableCharacter) else {
            throw .usage("--variable-prefix is the beginning of variables: it has only letters, digits and _.")
        }
        return prefix
    }

    /// The format that an option or the extension of a path names; nil if neither does.
    func format(
        _ invocation: Invocation, _ path: String, among formats: [TransferFormat]
    ) throws(CommandFailure) -> TransferFormat? {
        if let name = try invocation.text(of: .format) {
            if let format = TransferFormat(rawValue: name.lowercased()), formats.contains(format) { return format }
            throw .usage("--format is one of \(formats.map(\.rawValue).joined(separator: ", ")).")
        }
        return TransferFormat(path: path).flatMap { formats.contains($0) ? $0 : nil }
    }

    /// A file of settings, and its format.
    struct Source {
        let path: String
        let data: Data
        /// Nil if the file is empty.
        let format: TransferFormat?
    }

    /// Reads a file and determines its format.
    ///
    /// - Throws: A failure if the file is in none of the formats, or empty although the options forbid that.
    func source(_ invocation: Invocation, _ streams: CommandStreams) throws -> Source {
        let path = try invocation.text(0)
        let named = try format(invocation, path, among: TransferFormat.allCases)
        let data = try TransferFile.read(path, streams)
        if TransferFormat.isBlank(data) {
            if invocation.has(.allowEmpty) { return Source(path: path, data: data, format: nil) }
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) is empty. Nothing was changed. Check what should have written it.")
        }
        guard let format = named ?? TransferFormat(contents: data) else {
            let names = TransferFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) is in none of the formats \(names). Nothing was changed. Check the file.")
        }
        return Source(path: path, data: data, format: format)
    }

    /// Reads the settings of a file.
    ///
    /// - Parameter stored: The store's settings.
    func settings(
        in source: Source, _ invocation: Invocation, over stored: [String: Data]
    ) throws -> TransferredSettings {
        let prefix = try prefix(invocation)
        guard let format = source.format else { return TransferredSettings() }
        do throws(TransferProblem) {
            return try format.read(source.data, over: stored, prefix: prefix)
        } catch {
            throw CommandFailure.failure(
                "\(TransferFile.shown(source.path)) cannot be read as \(format.rawValue). \(error.description)")
        }
    }

    func settingCount(_ count: Int) -> String { count == 1 ? "1 setting" : "\(count) settings" }
}

extension OpenedStore {
    /// All settings of the store.
    func contents() throws -> StoredSettings {
        let list = store as? PropertyListStore
        var contents = StoredSettings(types: list.map { _ in [:] })
        for name in try store.keys() {
            // A setting may have been removed meanwhile.
            contents.values[name] = try data(named: name)
            if let value = list?.nativeValue(of: name), value.hasKindOfItsOwn { contents.types?[name] = value }
        }
        return contents
    }
}
