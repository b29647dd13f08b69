/// The arguments of a subcommand.
///
/// Options may stand anywhere; `--` ends them. A single hyphen, and a number such as `-5`, are operands.
struct Invocation {
    let operands: [String]
    private let options: [CommandOption: String]

    init(_ subcommand: Subcommand, _ arguments: [String], commandName: String) throws(CommandFailure) {
        let hint = "\(commandName) \(subcommand.rawValue) --help describes the arguments."
        var operands: [String] = []
        var options: [CommandOption: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("--") || argument == "-h" else {
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = argument == "-h" ? CommandOption.help.rawValue : String(parts[0])
            guard let option = CommandOption(rawValue: name), option == .help || subcommand.options.contains(option)
            else {
                throw .usage(
                    "\(subcommand.rawValue) has no option \(name). Write -- before a text that begins with hyphens. \(hint)"
                )
            }
            if !option.takesValue && parts.count == 2 { throw .usage("\(name) takes no value. \(hint)") }
            guard let value = parts.count == 2 ? String(parts[1]) : option.takesValue ? rest.popFirst() : "" else {
                throw .usage("\(name) needs a value. \(hint)")
            }
            options[option] = value
        }
        self.operands = operands
        self.options = options
        if options[.help] != nil { return }
        if operands.count < subcommand.operandCount.lowerBound {
            throw .usage("\(subcommand.rawValue) needs \(subcommand.operands). \(hint)")
        }
        if operands.count > subcommand.operandCount.upperBound {
            throw .usage(
                "\(subcommand.rawValue) has too many arguments: \(quoted(operands[operands.count - 1])). \(hint)")
        }
    }

    func has(_ option: CommandOption) -> Bool { options[option] != nil }

    /// The number that an option has; nil without the option.
    func number(_ option: CommandOption) throws(CommandFailure) -> Int? {
        guard let text = options[option] else { return nil }
        if let number = Int(text), number > 0 { return number }
        throw .usage("\(option.rawValue) needs a number of at least 1.")
    }
}
