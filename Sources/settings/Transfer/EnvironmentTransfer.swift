import SettingsCommandLine
import SettingsKit

/// Settings in a file of variables, as a layer of ``SettingsFileFormat/environment(prefix:)`` reads it. Only read.
///
/// A variable with the spelling of a stored setting is that setting, and keeps the kind of its value. Any other variable is a new
/// setting with the variable's name, without the prefix, whose value is JSON, or a string if it is not JSON.
enum EnvironmentTransfer {
    static func isVariableCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "_": true
        default: false
        }
    }

    /// Reads the variables of a file that begin with a prefix.
    ///
    /// - Parameters:
    ///   - stored: The store's settings.
    ///   - prefix: The prefix of variables that are settings. All others are ignored.
    static func read(
        _ file: Data, over stored: [String: Data] = [:], prefix: String = ""
    ) throws(TransferProblem) -> TransferredSettings {
        let variables: FileValue
        do throws(SettingsFileProblem) {
            variables = try VariableFile.read(file)
        } catch {
            throw TransferProblem(message: "\(error.reason).", line: error.line)
        }
        let names = Dictionary(grouping: stored.keys) { SettingSpelling.variable(for: $0, prefix: prefix) }
        var settings = TransferredSettings()
        for (variable, value) in variables.countingMembers where variable.hasPrefix(prefix) {
            let candidates = names[variable] ?? []
            if candidates.count > 1 {
                let list = candidates.sorted().map(JSONText.quoted).joined(separator: ", ")
                settings.unsupported.append("\(quoted(variable)): it stands for several settings: \(list).")
                continue
            }
            let name = candidates.first ?? String(variable.dropFirst(prefix.count))
            let text = String(decoding: value.data, as: UTF8.self)
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
