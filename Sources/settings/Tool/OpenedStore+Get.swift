import SettingsCommandLine
import SettingsKit

extension OpenedStore {
    func value(
        named name: String, showsSecrets: Bool
    ) throws -> (text: String?, json: JSONText, problem: String?) {
        guard let value = try value(named: name) else { throw missingValue(named: name) }
        return (value.text, value.jsonText, nil)
    }

    /// The failure that nothing is stored under a name.
    func missingValue(named name: String) -> CommandFailure {
        let similar = (try? store.keys()).flatMap {
            SimilarName.find(name, among: Array($0.prefix(ToolLimits.soughtNames)))
        }
        let hint = similar.map { " Did you mean \(quoted($0))?" } ?? ""
        return .failure("\(description) has no setting \(quoted(name)).\(hint)")
    }
}
