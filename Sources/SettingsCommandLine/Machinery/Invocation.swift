/// The arguments of a subcommand.
///
/// Options may stand anywhere; `--` ends them. A single hyphen, and a number such as `-5`, are operands.
package struct Invocation: Sendable {
    /// The first operands, which name stores.
    package let stores: [CommandArgument]
    /// The other operands.
    package let operands: [CommandArgument]
    /// A list, because it is short, and a dictionary takes longer to start with.
    private let options: [(option: CommandOption, value: CommandArgument)]

    package init<Program>(
        _ subcommand: Subcommand<Program>, _ arguments: some Collection<CommandArgument>, commandName: String
    ) throws(CommandFailure) {
        let hint = "\(commandName) \(subcommand.name) --help describes the arguments."
        var operands: [CommandArgument] = []
        var options: [(option: CommandOption, value: CommandArgument)] = []
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            if argument.text == "--" {
                operands += rest
                break
            }
            guard argument.bytes.starts(with: Array("--".utf8)) || argument.text == "-h" else {
                operands.append(argument)
                continue
            }
            let parts = argument.bytes.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = argument.text == "-h" ? CommandOption.help.name : String(decoding: parts[0], as: UTF8.self)
            guard let option = subcommand.allOptions.first(where: { $0.name == name }) else {
                throw .usage(
                    "\(subcommand.name) has no option \(name). Write -- before a text that begins with hyphens. \(hint)"
                )
            }
            if option.value == nil && parts.count == 2 { throw .usage("\(name) takes no value. \(hint)") }
            let given = parts.count == 2 ? CommandArgument(Array(parts[1])) : nil
            guard let value = given ?? (option.value == nil ? CommandArgument("") : rest.popFirst()) else {
                throw .usage("\(name) needs a value. \(hint)")
            }
            options.append((option, value))
        }
        stores = Array(operands.prefix(subcommand.stores.count))
        operands.removeFirst(stores.count)
        self.operands = operands
        self.options = options
        if options.contains(where: { $0.option == .help }) { return }
        if stores.count < subcommand.stores.count || operands.count < subcommand.operandCount.lowerBound {
            let needed = subcommand.stores + [subcommand.operands].filter { !$0.isEmpty }
            throw .usage("\(subcommand.name) needs \(needed.joined(separator: " ")). \(hint)")
        }
        if operands.count > subcommand.operandCount.upperBound {
            throw .usage(
                "\(subcommand.name) has too many arguments: \(quoted(operands[operands.count - 1].shown)). \(hint)")
        }
    }

    package func has(_ option: CommandOption) -> Bool { value(of: option) != nil }

    /// The last of repeated options counts.
    private func value(of option: CommandOption) -> CommandArgument? { options.last { $0.option == option }?.value }

    /// An operand as text.
    ///
    /// - Throws: A failure if it is not UTF-8.
    package func text(_ index: Int) throws(CommandFailure) -> String { try operands[index].requiredText() }

    /// All operands as text.
    package func texts() throws(CommandFailure) -> [String] {
        var texts: [String] = []
        for operand in operands { texts.append(try operand.requiredText()) }
        return texts
    }

    /// The text that an option has; nil without the option.
    package func text(of option: CommandOption) throws(CommandFailure) -> String? {
        try value(of: option)?.requiredText()
    }

    /// The number that an option has; nil without the option.
    package func number(_ option: CommandOption) throws(CommandFailure) -> Int? {
        guard let argument = value(of: option) else { return nil }
        if let text = argument.text, let number = Int(text), number > 0 { return number }
        throw .usage("\(option.name) needs a number of at least 1.")
    }

    /// Fails if more than one of some options is given.
    package func requireAtMostOne(of options: [CommandOption]) throws(CommandFailure) {
        let given = options.filter(has)
        if given.count > 1 { throw .usage("Give only one of \(given.map(\.name).joined(separator: ", ")).") }
    }
}
