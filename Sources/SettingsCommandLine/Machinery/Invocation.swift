import SettingsKit

/// The arguments of a subcommand.
///
/// Options may stand anywhere; `--` ends them. A single hyphen, and a number such as `-5`, are operands.
package struct Invocation: Sendable {
    /// The first operands, which name stores.
    package let stores: [String]
    /// The other operands.
    package let operands: [String]
    /// A list, because it is short, and a dictionary takes longer to start with.
    private let options: [(option: CommandOption, value: String)]

    package init<Program>(
        _ subcommand: Subcommand<Program>, _ arguments: some Collection<String>, commandName: String
    ) throws(CommandFailure) {
        let hint = "\(commandName) \(subcommand.name) --help describes the arguments."
        var operands: [String] = []
        var options: [(option: CommandOption, value: String)] = []
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("--") || argument == "-h" else {
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = argument == "-h" ? CommandOption.help.name : parts[0]
            guard let option = subcommand.allOptions.first(where: { $0.name == name }) else {
                throw .usage(
                    "\(subcommand.name) has no option \(name). Write -- before a text that begins with hyphens. \(hint)"
                )
            }
            if option.value == nil && parts.count == 2 { throw .usage("\(name) takes no value. \(hint)") }
            let given: String? = parts.count == 2 ? parts[1] : option.value == nil ? "" : rest.popFirst()
            guard let given else { throw .usage("\(name) needs a value. \(hint)") }
            options.append((option, given))
        }
        stores = Array(operands.prefix(subcommand.stores.count))
        operands.removeFirst(stores.count)
        (self.operands, self.options) = (operands, options)
        if options.contains(where: { $0.option == .help }) { return }
        if stores.count < subcommand.stores.count || operands.count < subcommand.operandCount.lowerBound {
            let needed = subcommand.stores + [subcommand.operands].filter { !$0.isEmpty }
            throw .usage("\(subcommand.name) needs \(needed.joined(separator: " ")). \(hint)")
        }
        if operands.count > subcommand.operandCount.upperBound {
            throw .usage("\(subcommand.name) has too many arguments: \(quoted(operands[operands.count - 1])). \(hint)")
        }
    }

    package func has(_ option: CommandOption) -> Bool { text(of: option) != nil }

    /// The text that an option has; nil without the option. The last of repeated options counts.
    package func text(of option: CommandOption) -> String? { options.last { $0.option == option }?.value }

    /// The number that an option has; nil without the option.
    package func number(_ option: CommandOption) throws(CommandFailure) -> Int? {
        guard let text = text(of: option) else { return nil }
        if let number = Int(text), number > 0 { return number }
        throw .usage("\(option.name) needs a number of at least 1.")
    }

    /// The operands as names of settings.
    package func names() throws(CommandFailure) -> [String] {
        if operands.allSatisfy(SettingsService.StorageKey.isValid) { return operands }
        throw .usage("The name of a setting must not be empty.")
    }

    /// Fails if more than one of some options is given.
    package func requireAtMostOne(of options: [CommandOption]) throws(CommandFailure) {
        let given = options.filter(has)
        if given.count > 1 { throw .usage("Give only one of \(given.map(\.name).joined(separator: ", ")).") }
    }
}
