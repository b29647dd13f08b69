import SettingsCommandLine
import SettingsKit

extension CommandOption {
    fileprivate static let jsonValue = CommandOption("--json", "TEXT is JSON of any kind.")
    fileprivate static let string = CommandOption("--string", "TEXT is text.")
    fileprivate static let data = CommandOption("--data", "TEXT is data in base 64.")
    fileprivate static let stdin = CommandOption(
        "--stdin", "TEXT is the standard input, without the line break at its end. Other users do not see it there.")
}

extension Subcommand where Program == SettingsTool {
    static var set: Self {
        .set(
            operandCount: 1...2, options: [.jsonValue, .string, .data, .stdin],
            discussion:
                "The kind of the stored value is kept: if it is text, TEXT is text, and if it is a number, TEXT must be "
                + "one. If there is none yet, TEXT is JSON, or text if it is not JSON. The options say otherwise."
        ) { tool, invocation, streams in
            let forms: [(option: CommandOption, form: UntypedValue.Form)] = [
                (.jsonValue, .json), (.string, .text), (.data, .data),
            ]
            try invocation.requireAtMostOne(of: forms.map(\.option))
            let name = try invocation.names()[0]
            let form = forms.first { invocation.has($0.option) }?.form ?? .kept
            let text = try tool.text(invocation, streams)
            // A wrong argument must create nothing, so it is checked before the store is opened.
            _ = try UntypedValue.data(of: text, as: form, replacing: nil, name: name)
            return { opened in
                let stored = try opened.value(named: name)?.kind
                let data = try UntypedValue.data(of: text, as: form, replacing: stored, name: name)
                try opened.store.set(OpenedStore.key(name), to: data)
            }
        }
    }
}

extension SettingsTool {
    fileprivate func text(_ invocation: Invocation, _ streams: CommandStreams) throws -> String {
        if invocation.has(.stdin) == (invocation.operands.count == 2) {
            throw CommandFailure.usage("set needs a name and a text, or a name and --stdin.")
        }
        if !invocation.has(.stdin) { return invocation.operands[1] }
        var bytes = Array(try streams.read())
        if bytes.last == 0x0A { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure.failure(
                "The standard input is not text in UTF-8. Give other bytes in base 64, with --data.")
        }
        return text
    }
}
