extension SettingsCatalogue {
    /// Returns the text for `--help`: the usage, and the settings as options with spelling, help, values and default, in 80 columns.
    ///
    /// ```
    /// usage: player [OPTIONS] FILE...
    ///
    /// Server:
    ///   --port <integer>  The port to listen on. Integer from 1 to 65535. Default:
    ///                     8080.
    ///
    /// Other options:
    ///   --version         Print the version.
    ///   --help            Show this help.
    /// ```
    ///
    /// - Parameters:
    ///   - program: The name of the program; nil for that of this process.
    ///   - environmentPrefix: The prefix of environment variables, to have their names in the text; nil for a program that does not
    ///     read settings from its environment.
    ///   - positionals: The program's arguments that are no options, for the usage: `FILE...`.
    ///   - flags: The program's own options, without hyphens, and their help; see ``parse(_:flags:)``.
    public func help(
        of program: String? = nil, environmentPrefix: String? = nil, positionals: String = "",
        flags: KeyValuePairs<String, String> = [:]
    ) -> String {
        var sections = groups.map { group in
            (
                title: group.title,
                rows: group.settings.map { (Self.option($0), Self.description(of: $0, environmentPrefix)) }
            )
        }
        sections.append(("Other options", flags.map { ("--\($0)", $1) } + [("--help", "Show this help.")]))
        let widths = sections.flatMap(\.rows).map { TextLayout.columns($0.0) }
        let optionWidth = widths.filter { $0 <= 26 }.max() ?? 0
        let indentation = 2 + optionWidth + 2
        let usage = ["usage: \(program ?? programName) [OPTIONS]", positionals].filter { !$0.isEmpty }
        var text = TextLayout.escaped(usage.joined(separator: " ")) + "\n"
        for section in sections {
            text += "\n" + TextLayout.escaped(section.title) + ":\n"
            for (option, description) in section.rows {
                var lines = TextLayout.wrapped(TextLayout.escaped(description), to: TextLayout.width - indentation)[...]
                // On the option's line, if the option is short enough.
                let first = TextLayout.columns(option) <= optionWidth ? lines.popFirst() ?? "" : ""
                text += Self.trimmed("  \(TextLayout.padded(option, to: optionWidth))  \(first)") + "\n"
                for line in lines { text += String(repeating: " ", count: indentation) + line + "\n" }
            }
        }
        return text
    }

    /// The name of this process's program, or the title of the catalogue.
    var programName: String { CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? title }

    /// `--port <integer>`, or `--muted, --no-muted`.
    private static func option(_ setting: SettingsService.SettingDefinition) -> String {
        let name = TextLayout.escaped(optionName(setting))
        if setting.catalogued.isFlag { return "--\(name), --no-\(name)" }
        return "--\(name) <\(setting.catalogued.valueDescription.placeholder)>"
    }

    private static func optionName(_ setting: SettingsService.SettingDefinition) -> String {
        SettingSpelling.options(for: setting.key.name).first ?? setting.key.name
    }

    private static func description(of setting: SettingsService.SettingDefinition, _ prefix: String?) -> String {
        var sentences = [setting.catalogued.isFlag ? setting.help.map(sentence) ?? "" : description(of: setting)]
        if let text = setting.defaultText {
            let isNil = setting.catalogued.valueDescription.isOptional && text == NilText.null
            sentences.append("Default: \(isNil ? "none" : text.isEmpty ? "empty" : text).")
        }
        if let prefix {
            sentences.append("Environment: \(SettingSpelling.variable(for: setting.key.name, prefix: prefix)).")
        }
        return sentences.joined(separator: " ")
    }

    /// "The port to listen on. Integer from 1 to 65535."
    package static func description(of setting: SettingsService.SettingDefinition) -> String {
        let name = setting.catalogued.valueDescription.name
        let type = sentence(name.prefix(1).uppercased() + name.dropFirst())
        return setting.help.map { $0.isEmpty ? type : "\(sentence($0)) \(type)" } ?? type
    }

    private static func sentence(_ text: String) -> String {
        text.last.map { ".!?:;…。".contains($0) } ?? true ? text : text + "."
    }

    private static func trimmed(_ line: String) -> String {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    // MARK: Documentation

    /// Returns the settings as tables in Markdown, for documentation.
    ///
    /// - Parameter environmentPrefix: The prefix of environment variables, to have a column of their names; nil for a program that
    ///   does not read settings from its environment.
    public func markdown(environmentPrefix: String? = nil) -> String {
        var text = "# \(Self.markdown(title))\n"
        for group in groups {
            var header = ["Setting", "Option", "Values", "Default", "Description"]
            if environmentPrefix != nil { header.insert("Variable", at: 2) }
            let rows = group.settings.map { setting in
                var row = [
                    Self.code(name(of: setting)), Self.code("--\(Self.optionName(setting))"),
                    Self.markdown(setting.catalogued.valueDescription.name),
                    setting.defaultText.map { $0.isEmpty ? "empty" : Self.code($0) } ?? "",
                    Self.markdown(setting.help ?? ""),
                ]
                if let environmentPrefix {
                    row.insert(
                        Self.code(SettingSpelling.variable(for: setting.key.name, prefix: environmentPrefix)), at: 2)
                }
                return row
            }
            let widths = header.indices.map { column in
                ([header] + rows).map { TextLayout.columns($0[column]) }.max() ?? 0
            }
            text += "\n## \(Self.markdown(group.title))\n\n"
            for row in [header, widths.map { String(repeating: "-", count: $0) }] + rows {
                let cells = zip(row, widths).map { TextLayout.padded($0, to: $1) }
                text += "| \(cells.joined(separator: " | ")) |\n"
            }
        }
        return text
    }

    /// Escapes the text for Markdown, in one line.
    private static func markdown(_ text: String) -> String {
        var result = ""
        for character in TextLayout.escaped(text) {
            if "\\`*_[]<>|#&~".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// Formats a text as code in a table.
    private static func code(_ text: String) -> String {
        let text = TextLayout.escaped(text).replacing("|", with: "\\|")
        var longest = 0
        var run = 0
        for character in text {
            run = character == "`" ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        let isPadded = longest > 0 || text.hasPrefix(" ") || text.hasSuffix(" ")
        return isPadded ? "\(fence) \(text) \(fence)" : "\(fence)\(text)\(fence)"
    }
}
