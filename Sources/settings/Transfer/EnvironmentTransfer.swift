import SettingsCommandLine
import SettingsKit

/// Settings in a file of variables, as a layer of ``SettingsFileFormat/environment(prefix:)`` reads it. Only read.
///
/// A variable with the spelling of a stored setting is that setting, and keeps the kind of its value. Any other variable is a new
/// setting with the variable's name, without the prefix, whose value is JSON, or a string if it is not JSON.
enum EnvironmentTransfer {
    /// Reads the variables of a file that begin with a prefix.
    ///
    /// - Parameters:
    ///   - stored: The store's settings.
    ///   - prefix: The prefix of variables that are settings. All others are ignored.
    static func read(
        _ file: Data, over stored: [String: Data] = [:], prefix: String = ""
    ) throws(SettingsFileProblem) -> TransferredSettings {
        let variables = try VariableFile.variables(in: file)
        let names = Dictionary(grouping: stored.keys) { SettingSpelling.variable(for: $0, prefix: prefix) }
        var settings = TransferredSettings()
        for (variable, text) in variables where variable.hasPrefix(prefix) {
            let candidates = names[variable] ?? []
            if candidates.count > 1 {
                let list = candidates.sorted().map(JSONText.quoted).joined(separator: ", ")
                settings.unsupported.append("\(quoted(variable)): it stands for several settings: \(list).")
                continue
            }
            let name = candidates.first ?? String(variable.dropFirst(prefix.count))
            do throws(CommandFailure) {
                let old = stored[name].map { UntypedValue($0).kind }
                settings.add(name, try UntypedValue.data(of: text, as: .kept, replacing: old, name: name))
            } catch {
                settings.unsupported.append("\(quoted(variable)): the stored value is of another kind.")
            }
        }
        return settings
    }
}
