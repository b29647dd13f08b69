import SettingsKit

// The subcommands that every program has. A program says in words what its settings are, and adds its options.

extension Subcommand {
    package static func list(summary: String, discussion: String) -> Self {
        Self(
            name: "list", options: [.json], summary: summary, discussion: discussion
        ) { program, invocation, streams in
            try program.withSettings(invocation, streams, for: .reading) { settings in
                try settings.list(asJSON: invocation.has(.json), streams)
                return settings.isDamaged ? .failure : .success
            }
        }
    }

    package static func get(options: [CommandOption] = [], discussion: String = "") -> Self {
        Self(
            name: "get", operands: "NAME", operandCount: 1...1, options: [.json] + options,
            summary: "Print the value of a setting.",
            discussion: discussion
                + "Control characters other than tabs and line breaks appear as escapes. With --json, the value is exact."
        ) { program, invocation, streams in
            let name = try invocation.names()[0]
            return try program.withSettings(invocation, streams, for: .reading) { settings in
                let value = try settings.value(named: name, showsSecrets: invocation.has(.secrets))
                if let problem = value.problem { streams.report(problem) }
                if invocation.has(.json) {
                    try streams.print(value.json.indented + "\n")
                } else if let text = value.text {
                    try streams.print(TextLayout.escaped(text, keepsLines: true) + "\n")
                } else {
                    throw CommandFailure.failure("\(name): The value has no text.")
                }
                return .success
            }
        }
    }

    /// - Parameter read: Reads the new value from the arguments, and returns a closure that stores it. It runs before the settings
    ///   are opened, so that a wrong argument creates nothing.
    package static func set(
        operandCount: ClosedRange<Int>, options: [CommandOption] = [], discussion: String,
        read: @escaping @Sendable (Program, Invocation, CommandStreams) throws -> (Program.Settings) throws -> Void
    ) -> Self {
        Self(
            name: "set", operands: "NAME TEXT", operandCount: operandCount, options: options,
            summary: "Store a value.",
            discussion: discussion + " If TEXT begins with two hyphens, write -- before it."
        ) { program, invocation, streams in
            let store = try read(program, invocation, streams)
            return try program.withSettings(invocation, streams, for: .writing) { settings in
                try store(settings)
                try settings.bringUpToDate()
                return .success
            }
        }
    }

    package static func delete(summary: String, discussion: String) -> Self {
        Self(
            name: "delete", aliases: ["reset"], operands: "NAME... | --all", operandCount: 0...Int.max, options: [.all],
            summary: summary, discussion: discussion
        ) { program, invocation, streams in
            let isAll = invocation.has(.all)
            if isAll != invocation.operands.isEmpty {
                throw CommandFailure.usage("delete needs the names of settings, or --all for all of them.")
            }
            let names = try invocation.names()
            return try program.withSettings(invocation, streams, for: .changing) { settings in
                let removals = try settings.removals(of: isAll ? nil : names)
                try program.store(removals, in: settings)
                return .success
            }
        }
    }

    /// - Parameter additions: What a line has besides.
    package static func watch(additions: String = "") -> Self {
        Self(
            name: "watch", operands: "[NAME...]", operandCount: 0...Int.max, options: [.json, .count],
            summary: "Print changes as they are made.",
            discussion:
                "A line has the time in UTC, the name, the new value and the origin\(additions). It ends when it is "
                + "interrupted, when its output is closed, or after --count changes. Without names, it watches all settings. "
                + "With --json, each line is an object."
        ) { program, invocation, streams in
            let names = try invocation.names()
            let (limit, isJSON) = (try invocation.number(.count) ?? .max, invocation.has(.json))
            return try program.withSettings(invocation, streams, for: .reading) { settings in
                let changes = ChangeQueue<ObservedChange>()
                let subscriptions = try settings.observe(names, streams) { name, isSet, origin, content in
                    changes.append(ObservedChange(name: name, isSet: isSet, origin: origin, content: content))
                }
                defer { for subscription in subscriptions { subscription.cancel() } }
                try changes.print(limit, to: streams) { $0.line(asJSON: isJSON, streams) }
                return .success
            }
        }
    }

    package static func explain(summary: String, discussion: String) -> Self {
        Self(
            name: "explain", operands: "NAME", operandCount: 1...1, options: [.json],
            summary: summary, discussion: discussion
        ) { program, invocation, streams in
            let name = try invocation.names()[0]
            // Only a layer over the store may have a value.
            return try program.withSettings(invocation, streams, for: .readingIfPresent) { settings in
                let explanation = try settings.explanation(of: name)
                try streams.print(
                    invocation.has(.json) ? explanation.json.indented + "\n" : explanation.shown())
                return .success
            }
        }
    }

    /// - Parameter read: Reads the file, and returns a closure for its differences from the settings. It runs before the settings
    ///   are opened, so that a wrong file creates nothing.
    package static func `import`(
        options: [CommandOption], summary: String, discussion: String,
        read:
            @escaping @Sendable (Program, Invocation, CommandStreams) throws -> (Program.Settings) throws ->
            [Program.Settings.Change]
    ) -> Self {
        Self(
            name: "import", operands: "FILE | -", operandCount: 1...1, options: [.dryRun] + options,
            summary: summary, discussion: discussion
        ) { program, invocation, streams in
            let differences = try read(program, invocation, streams)
            let (isDry, isJSON) = (invocation.has(.dryRun), invocation.has(.json))
            return try program.withSettings(invocation, streams, for: isDry ? .readingIfPresent : .writing) {
                settings in
                let changes = try differences(settings)
                if !isDry { try program.store(changes, in: settings) }
                // Changes are printed after they are stored: a change that failed must not appear.
                try settings.show(changes, asJSON: isJSON, streams)
                if changes.isEmpty && !isJSON { try streams.print("Nothing changes.\n") }
                return .success
            }
        }
    }
}
