import Foundation
import SettingsTestSupport
import Testing

@Suite("The guide of the tool", .ownThreads)
struct ToolGuideTests {
    /// A command of the guide, and what it prints there.
    private struct Step {
        let command: String
        var output = ""
    }

    /// The commands in the blocks of shell, in their order.
    private static func steps() throws -> [Step] {
        var steps: [Step] = []
        var isInBlock = false
        for line in try Guide("SettingsTool").text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInBlock = line == "```shell"
            } else if isInBlock, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isInBlock, !steps.isEmpty {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        return steps
    }

    @Test("Each command of the guide prints what the guide says")
    func commands() throws {
        let steps = try Self.steps()
        #expect(steps.count > 10)
        try withTemporaryDirectory { directory in
            for step in steps {
                let result = try ToolProcess.bash(step.command, in: directory)
                #expect(result == .init(0, step.output, errors: result.errors), "\(step.command): \(result)")
            }
        }
    }
}
