extension SettingsCatalogue {
    /// Returns the settings as options, for `--help`: spelling, help, values and default, in 80 columns.
    ///
    /// ```
    /// Server:
    ///   --port <integer>  The port to listen on. Integer from 1 to 65535. Default:
    ///                     8080.
    /// ```
    ///
    /// - Parameter environmentPrefix: The prefix of environment variables, to have their names in the text; nil for a program that
    ///   does not read settings from its environment.
    public func help(environmentPrefix: String? = nil) -> String {
        let options = groups.map { $0.settings.map(Self.option) }
        let optionWidth = options.joined().map { TextLayout.columns($0) }.filter { $0 <= 26 }.max() ?? 0
        let indentation = 2 + optionWidth + 2
        var text = ""
        for (group, options) in zip(groups, options) {
            text += (text.isEmpty ? "" : "\n") + TextLayout.escaped(group.title) + ":\n"
            for (setting, option) in zip(group.settings, options) {
                let description = TextLayout.escaped(Self.description(of: setting, environmentPrefix))
                var lines = TextLayout.wrapped(description, to: TextLayout.width - indentation)[...]
                // On the option's line, if the option is short enough.
                let first = TextLayout.columns(option) <= optionWidth ? lines.popFirst() ?? "" : ""
                text += Self.trimmed("  \(TextLayout.padded(option, to: optionWidth))  \(first)") + "\n"
                for line in lines { text += String(repeating: " ", count: indentation) + line + "\n" }
            }
        }
        return text
    }

    /// "usage: player [--volume <number>] [--muted | --no-muted] [--help]", in 80 columns.
    func usage(of program: String, _ flags: Set<String>) -> String {
        let options = settings.map { Self.option($0).replacing(", ", with: " | ") }
        let parts = (options + flags.sorted().map { "--\($0)" } + ["--help"]).map { "[\(TextLayout.escaped($0))]" }
        let start = "usage: \(TextLayout.escaped(program))"
        var lines = [start]
        for part in parts {
            let line = "\(lines[lines.endIndex - 1]) \(part)"
            if TextLayout.columns(line) <= TextLayout.width {
                lines[lines.endIndex - 1] = line
            } else {
                lines.append("           \(part)")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// `--port <integer>`, or `--muted, --no-muted`.
    private static func option(_ setting: SettingsService.SettingDefinition) -> String {
        let name = TextLayout.escaped(SettingSpelling.options(for: setting.key.name).first ?? setting.key.name)
        if setting.catalogued.isFlag { return "--\(name), --no-\(name)" }
        return "--\(name) <\(setting.catalogued.valueDescription.placeholder)>"
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
            var header = ["Setting", "Values", "Default", "Description"]
            if environmentPrefix != nil { header.insert("Variable", at: 1) }
            let rows = group.settings.map { setting in
                var row = [
                    Self.code(name(of: setting)), Self.markdown(setting.catalogued.valueDescription.name),
                    setting.defaultText.map { $0.isEmpty ? "empty" : Self.code($0) } ?? "",
                    Self.markdown(setting.help ?? ""),
                ]
                if let environmentPrefix {
                    row.insert(
                        Self.code(SettingSpelling.variable(for: setting.key.name, prefix: environmentPrefix)), at: 1)
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
