extension SettingsCatalogue {
    /// A problem that keeps a setting from having the expected value.
    public struct Problem: Error, Sendable {
        /// The kind of a problem.
        public enum Kind: String, Sendable, CaseIterable {
            /// The setting rejects a value in one of its layers, or an empty variable locks it.
            case value
            /// A store or a layer cannot be read.
            case store
            /// The catalogue has no setting for a stored name or for a name in a file of a layer; or such a file is not used.
            case unknownName
            /// The catalogue has no setting for a variable with the prefix of a layer. It may be another program's.
            case unknownVariable
            /// Two settings have the same spelling as an argument or as a variable; or the same name and scope, but different types.
            case definition
        }

        /// The kind.
        public let kind: Kind
        /// The name of the setting, or the unknown name or variable; nil if the problem concerns a whole store.
        public let name: String?
        /// The scope.
        public let scope: SettingsService.Scope
        /// The name of the setting or the variable that was probably meant, or of the other setting.
        public let otherName: String?
        /// The error that the setting or its store reports.
        public let error: SettingsError?
        /// A message in one line, without values: the problem and its solution.
        public let description: String

        fileprivate init(
            _ kind: Kind, name: String?, scope: SettingsService.Scope, otherName: String? = nil,
            error: SettingsError? = nil, _ message: String
        ) {
            (self.kind, self.name, self.scope, self.otherName, self.error) = (kind, name, scope, otherName, error)
            description = TextLayout.escaped("\(name ?? "\(scope)"): \(message)")
        }
    }

    /// Returns all problems: values that settings reject, in each layer; empty variables that lock; stores that cannot be read; stored
    /// names, names in files, and variables with the prefix of a layer, that are not in the catalogue; settings with one spelling as
    /// an argument or a variable; definitions that contradict each other.
    ///
    /// It reads each setting, and the names in each store. It writes nothing and diagnoses nothing; the service does not diagnose the
    /// returned problems either. After a check, it diagnoses unknown names that an edit adds to a file. A store that cannot list its
    /// names is not searched for unknown ones. Names that begin with `SettingsKit:` belong to the library.
    public func check(in service: SettingsService) -> [Problem] {
        var problems = conflictingDefinitions() + sameSpellings()
        var unreadable: Set<SettingsService.Scope> = []
        let diagnostics = service.connections.diagnostics
        let held = diagnostics.takeHeld()
        for setting in settings {
            let (key, state) = (setting.key, setting.catalogued.state(in: service, showsSecrets: false))
            for layer in state.layers {
                guard let error = layer.problem else { continue }
                diagnostics.recordKnown(error, bytes: layer.bytes)
                problems.append(Problem(.value, name: name(of: setting), scope: key.scope, error: error, "\(error)"))
            }
            if let variable = state.emptyVariable {
                problems.append(
                    Problem(
                        .value, name: name(of: setting), scope: key.scope, otherName: variable,
                        "The variable \(variable) is empty, and locks the setting with an empty value. Unset it, or ignore empty "
                            + "variables with .environment(prefix:ignoresEmpty:)."))
            }
            // An unreadable store is one problem, not one for each setting.
            guard let error = state.storeProblem else { continue }
            diagnostics.recordKnown(error, bytes: nil)
            if unreadable.insert(key.scope).inserted {
                problems.append(Problem(.store, name: nil, scope: key.scope, error: error, "\(error)"))
            }
        }
        for scope in scopesInOrder {
            let layers = (service.connections[scope].sources?.store as? LayeredStore)?.layerProblems ?? []
            problems += layers.map { Problem(.store, name: nil, scope: scope, error: $0, "\($0)") }
        }
        diagnostics.pass(held, except: Set(problems.compactMap { $0.error?.description }))
        return problems + unknownNames(in: service, except: unreadable) + textProblems(in: service)
    }

    /// Returns the entries without a meaning in layers that are no stores.
    private func textProblems(in service: SettingsService) -> [Problem] {
        var problems: [Problem] = []
        // Of all scopes: one file or prefix may serve several.
        let names = settings.map(\.key.name)
        var reported: Set<LayerTextFinding> = []
        for scope in scopesInOrder {
            let sources = service.connections[scope].sources?.all ?? []
            for finding in sources.flatMap({ $0.findings(for: names) }) where reported.insert(finding).inserted {
                problems.append(
                    Problem(
                        finding.isVariable ? .unknownVariable : .unknownName, name: finding.name, scope: scope,
                        otherName: finding.similarName, finding.message))
            }
        }
        return problems
    }

    private var scopesInOrder: [SettingsService.Scope] {
        var seen: Set<SettingsService.Scope> = []
        return settings.map(\.key.scope).filter { seen.insert($0).inserted }
    }

    private func unknownNames(
        in service: SettingsService, except unreadable: Set<SettingsService.Scope>
    ) -> [Problem] {
        var problems: [Problem] = []
        for scope in scopesInOrder where !unreadable.contains(scope) {
            let settings = settings.filter { $0.key.scope == scope }
            let known = Set(settings.map(\.key.name))
            do throws(SettingsError) {
                let names = try service.connections[scope].requireSources().keys()
                for name in names.sorted()
                where !known.contains(name) && !SettingsService.StorageKey.isLibraryName(name) {
                    let similar = SimilarName.find(name, among: settings.map(\.key.name))
                    problems.append(
                        Problem(
                            .unknownName, name: name, scope: scope, otherName: similar,
                            "There is no setting of this name in \(scope). "
                                + (similar.map { "Did you mean \($0)?" } ?? "Remove it, if nothing else uses it.")))
                }
            } catch  where error.code == .unsupported {
                continue
            } catch {
                problems.append(Problem(.store, name: nil, scope: scope, error: error, "\(error)"))
            }
        }
        return problems
    }

    private func conflictingDefinitions() -> [Problem] {
        var first: [SettingsService.StorageKey: SettingsService.SettingDefinition] = [:]
        return settings.compactMap { setting in
            let (key, other) = (setting.key, first[setting.key])
            if other == nil { first[key] = setting }
            if other == nil || other?.valueType == setting.valueType { return nil }
            return Problem(
                .definition, name: name(of: setting), scope: key.scope,
                "Two settings of this name in \(key.scope) have different types. Rename one of them.")
        }
    }

    private func sameSpellings() -> [Problem] {
        var first: [SettingsService.StorageKey: SettingsService.StorageKey] = [:]
        return settings.compactMap { setting in
            let key = setting.key
            let options = SettingSpelling.options(for: key.name).map { "--\($0)" }
            let negations = setting.catalogued.isFlag ? options.map { "--no-\($0.dropFirst(2))" } : []
            var problem: Problem?
            for spelling in [SettingSpelling.variable(for: key.name)] + options + negations where !spelling.isEmpty {
                let other = first[.init(spelling, scope: key.scope), default: key]
                first[.init(spelling, scope: key.scope)] = other
                if other == key || problem != nil { continue }
                problem = Problem(
                    .definition, name: name(of: setting), scope: key.scope, otherName: name(of: other),
                    "As an argument or a variable, it is spelled as \(name(of: other)): \(spelling). Rename one of them."
                )
            }
            return problem
        }
    }
}

extension SettingsCatalogue.Problem: CustomStringConvertible {}
