import Foundation
import SettingsTestSupport

@testable import settings

/// A run of the tool `settings` in this process.
struct SettingsToolRun: Sendable {
    var code: Int32 = 0
    var output = ""
    var errors = ""

    init() {}

    /// - Parameter variables: Those of etcdctl, without `ETCDCTL_`.
    init(_ arguments: [String], _ variables: [String: String] = [:]) {
        let texts = Box(SettingsToolRun())
        let tool = SettingsTool(width: 80) { variables[String($0.dropFirst("ETCDCTL_".count))] }
        code = tool.run(
            arguments, input: { Data() }, output: { texts.value.output += $0 },
            errors: { texts.value.errors += $0 })
        (output, errors) = (texts.value.output, texts.value.errors)
    }
}
