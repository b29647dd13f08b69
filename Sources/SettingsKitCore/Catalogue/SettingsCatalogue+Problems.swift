extension SettingsCatalogue {
    /// A problem that keeps a setting from having the expected value.
    public struct Problem: Error, Sendable {
        /// The kind of a problem.
        public enum Kind: String, Sendable, CaseIterable {
            /// The setting rejects the stored value.
            case value
            /// A store cannot be read.
            case store
            /// The catalogue has no setting for a stored name, or for a name in a file of a layer.
            case unknownName
            /// The catalogue has no setting for an option. It may be the program's own, so only ``SettingsCatalogue/usage(in:)``
            /// returns it.
            case unknownOption
            /// A file of a layer has several values for a setting, one of which counts.
            case repeatedName
            /// A file or a directory in the directory of a layer is not used, or is a symbolic link that leads out of the directory; or two files
            /// exist where one is expected.
            case unusualFile
            /// An environment variable has the prefix of a layer, and the catalogue has no setting for it.
            case unknownVariable
            /// Two settings have the same spelling as an argument or as an environment variable.
            case sameSpelling
            /// Two settings have the same name and scope, but different types.
            case conflictingDefinitions
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

        init(
            _ kind: Kind, name: String?, scope: SettingsService.Scope, otherName: String? = nil,
            error: SettingsError? = nil, spelling: String? = nil
        ) {
            self.kind = kind
            self.name = name
            self.scope = scope
            self.otherName = otherName
            self.error = error
            self.spelling = spelling
        }

        init(_ finding: LayerTextFinding, scope: SettingsService.Scope) {
            let kind: Kind =
                switch finding.kind {
                case .unknownName: .unknownName
                case .unknownVariable: .unknownVariable
                case .unknownOption: .unknownOption
                case .repeatedName: .repeatedName
                case .secondFile, .outsideLink, .unreadable: .unusualFile
                }
            self.init(kind, name: finding.name, scope: scope, otherName: finding.similarName)
            location = finding.location
            self.finding = finding.kind
        }

        private let spelling: String?
        /// The place in a file.
        fileprivate private(set) var location: String?
        fileprivate private(set) var finding: LayerTextFinding.Kind?
    }

    /// Returns all problems: stored values that settings reject, in each layer; stores that cannot be read; stored names, names
    /// in files, and variables with the prefix of a layer, that are not in the catalogue; files with several values for a setting; settings with one spelling as an argument or a variable; definitions that contradict each other.
    ///
    /// It reads each setting, and the names in each store. It writes nothing and diagnoses nothing. A store that cannot list its
    /// names is not searched for unknown ones. Names that begin with `SettingsKit:` belong to the library.
    public func check(in service: SettingsService) -> [Problem] {
        var problems = conflictingDefinitions() + sameSpellings()
        var unreadable: Set<SettingsService.Scope> = []
        for setting in settings {
            let state = setting.catalogued.state(in: service, showsSecrets: false)
            for layer in state.layers {
                guard let error = layer.problem else { continue }
                problems.append(Problem(.value, name: name(of: setting), scope: setting.key.scope, error: error))
            }
            // An unreadable store is one problem, not one for each setting.
            guard let error = state.storeProblem else { continue }
            if unreadable.insert(setting.key.scope).inserted {
                problems.append(Problem(.store, name: nil, scope: setting.key.scope, error: error))
            }
        }
        for scope in scopesInOrder {
            let layers = (service.connections[scope].store?.store as? LayeredStore)?.layerProblems ?? []
            problems += layers.map { Problem(.store, name: nil, scope: scope, error: $0) }
        }
        return problems + unknownNames(in: service, except: unreadable)
            + textProblems(in: service).filter { $0.kind != .unknownOption }
    }

    /// Returns the problems of the entries in layers that are no stores.
    func textProblems(in service: SettingsService) -> [Problem] {
        var problems: [Problem] = []
        // Of all scopes: one file or prefix may serve several.
        let names = settings.map(\.key.name)
        var reported: Set<LayerTextFinding> = []
        for scope in scopesInOrder {
            let store = service.connections[scope].store?.store as? LayeredStore
            for finding in store?.textFindings(for: names) ?? [] where reported.insert(finding).inserted {
                problems.append(Problem(finding, scope: scope))
            }
        }
        return problems
    }

    var scopesInOrder: [SettingsService.Scope] {
        var seen: Set<SettingsService.Scope> = []
        return settings.map(\.key.scope).filter { seen.insert($0).inserted }
    }

    func unknownNames(
        in service: SettingsService, except unreadable: Set<SettingsService.Scope> = []
    ) -> [Problem] {
        var problems: [Problem] = []
        for scope in scopesInOrder where !unreadable.contains(scope) {
            let settings = settings.filter { $0.key.scope == scope }
            let known = Set(settings.map(\.key.name))
            do throws(SettingsError) {
                let names = try service.connections[scope].requireStore().keys()
                for name in names.sorted() where !known.contains(name) && !name.hasPrefix("SettingsKit:") {
                    let similar = SimilarName.find(name, among: settings.map(\.key.name))
                    problems.append(Problem(.unknownName, name: name, scope: scope, otherName: similar))
                }
            } catch  where error.code == .unsupported {
                continue
            } catch {
                problems.append(Problem(.store, name: nil, scope: scope, error: error))
            }
        }
        return problems
    }

    private func conflictingDefinitions() -> [Problem] {
        var first: [SettingsService.StorageKey: SettingsService.SettingDefinition] = [:]
        return settings.compactMap { setting in
            guard let other = first[setting.key] else {
                first[setting.key] = setting
                return nil
            }
            if other.valueType == setting.valueType { return nil }
            return Problem(.conflictingDefinitions, name: name(of: setting), scope: setting.key.scope)
        }
    }

    private func sameSpellings() -> [Problem] {
        var first: [Spelling: SettingsService.StorageKey] = [:]
        var problems: [Problem] = []
        for setting in settings {
            var spellings = [SettingSpelling.variable(for: setting.key.name)]
            for option in SettingSpelling.options(for: setting.key.name) {
                spellings.append("--\(option)")
                if setting.catalogued.isFlag { spellings.append("--no-\(option)") }
            }
            for spelling in spellings {
                let other = first[Spelling(text: spelling, scope: setting.key.scope), default: setting.key]
                first[Spelling(text: spelling, scope: setting.key.scope)] = other
                if other == setting.key { continue }
                problems.append(
                    Problem(
                        .sameSpelling, name: name(of: setting), scope: setting.key.scope, otherName: name(of: other),
                        spelling: spelling))
                break
            }
        }
        return problems
    }

    private struct Spelling: Hashable {
        let text: String
        let scope: SettingsService.Scope
    }
}

extension SettingsCatalogue.Problem: CustomStringConvertible {
    /// A message in one line, without values: the problem and its solution.
    public var description: String {
        let name = name ?? "\(scope)"
        let message: String =
            switch kind {
            case .value, .store: "\(name): \(error.map { "\($0)" } ?? "")"
            case .unknownName where location != nil:
                "\(name): No setting has this name (\(location ?? "")). "
                    + (otherName.map { "Did you mean \($0)?" } ?? "Remove it, if nothing else uses it.")
            case .repeatedName:
                "\(name): There are several values for this name, and this one does not count (\(location ?? "")). "
                    + "Remove one of them."
            case .unusualFile:
                switch finding {
                case .outsideLink:
                    "\(name): The file is a symbolic link that leads out of the directory (\(location ?? ""))."
                case .secondFile: "\(name): \(otherName ?? "") exists, too, and its values count. Remove one of them."
                default:
                    "\(name): It is not used, because it is a directory or no regular file, is too large or cannot be read "
                        + "(\(location ?? ""))."
                }
            case .unknownName:
                "\(name): There is no setting of this name in \(scope). "
                    + (otherName.map { "Did you mean \($0)?" } ?? "Remove it, if nothing else uses it.")
            case .unknownVariable:
                "\(name): No setting reads this variable. "
                    + (otherName.map { "Did you mean \($0)?" } ?? "Unset it, if nothing else uses it.")
            case .unknownOption:
                "\(name): No setting reads this option. "
                    + (otherName.map { "Did you mean \($0)?" } ?? "Leave it out, if the program does not read it.")
            case .sameSpelling:
                "\(name): As an argument or a variable, it is spelled as \(otherName ?? "another setting"): "
                    + "\(spelling ?? ""). Rename one of them."
            case .conflictingDefinitions:
                "\(name): Two settings of this name in \(scope) have different types. Rename one of them."
            }
        return TextLayout.escaped(message)
    }
}
