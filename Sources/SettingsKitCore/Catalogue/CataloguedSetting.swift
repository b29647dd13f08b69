/// The functions of a setting that a catalogue needs. `SettingsService.Setting` is the only type that conforms: the protocol gives
/// access to functions that depend on the type of the value.
package protocol CataloguedSetting: SettingsService.SettingDefinition {
    /// The type of the values, with the validation's limits.
    var valueDescription: ValueDescription { get }
    /// Whether an option without a value sets it.
    var isFlag: Bool { get }

    /// Returns the reason why the setting rejects a layer's candidate; nil if it accepts it.
    func problem(with candidate: SettingsStoreCandidate) -> SettingsError?

    /// Reads the setting's values from the store. Writes nothing, not even a default.
    ///
    /// - Parameter showsSecrets: Whether the texts of a secret setting are shown; otherwise they are `•••`.
    func state(in service: SettingsService, showsSecrets: Bool) -> SettingsCatalogue.Row

    /// Returns the text of the value that is stored when a text is set; nil if the value has none.
    ///
    /// - Throws: `invalidValue` or `encodingFailed` if the text cannot be set.
    func canonicalText(ofText text: String) throws(SettingsError) -> String?

    /// Adds a change to a transaction.
    ///
    /// - Parameter text: The text of the value; nil to remove the stored value.
    /// - Throws: `invalidValue` if the setting rejects the text.
    func set(_ text: String?, in transaction: inout SettingsService.Transaction) throws(SettingsError)

    /// Returns the text of the value in a transaction; nil if it has none.
    func text(in transaction: inout SettingsService.Transaction) -> String?

    /// Calls a closure after each change, with the text of the new value; nil if it has none.
    func observeText(
        in service: SettingsService,
        _ body: @escaping @Sendable (_ text: String?, _ isSet: Bool, SettingsService.Origin) -> Void
    ) -> SettingsService.Subscription
}

extension SettingsService.SettingDefinition {
    /// The setting with the functions that depend on the type of its value.
    package var catalogued: any CataloguedSetting {
        guard let setting = self as? any CataloguedSetting else {
            preconditionFailure("Every setting definition is a Setting.")
        }
        return setting
    }
}

extension SettingsService.Setting: CataloguedSetting {
    package var valueDescription: ValueDescription { coding.form.text.type.restricted(by: coding.validation) }

    package var isFlag: Bool { coding.form.text.isFlag }

    package func problem(with candidate: SettingsStoreCandidate) -> SettingsError? { coding.problem(with: candidate) }

    package func state(in service: SettingsService, showsSecrets: Bool) -> SettingsCatalogue.Row {
        var state = SettingsCatalogue.Row(self)
        func show(_ value: T) {
            let isHidden = state.isSecret && !showsSecrets
            state.valueText = isHidden ? Self.hidden : coding.text(of: value)
            state.textlessValue = state.valueText == nil && !isHidden ? Self.describe(value) : nil
        }
        do throws(SettingsError) {
            let slot = service.slot(for: self)
            guard let (reading, _, _) = slot.look() else { throw SettingsError(.noStore, key: key) }
            let (sources, row, verdict) = (reading.sources, reading.row, reading.verdict)
            if sources.isLayered { state.layerNames = sources.all.map(\.layer.name) }
            if let problem = row[sources.writable]?.content.problem { throw problem.completed(key: key, store: nil) }
            if let (source, content) = verdict.origin {
                if sources.all[source].candidate(content)?.isSecret == true { state.isSecret = true }
                state.source = sources.all[source].layer.name.map { .layer($0) } ?? .store
                state.isLastGood = row[source]?.content != content
            }
            show(slot.value(of: verdict))
            state.lock = reading.lock
            for (source, candidate) in sources.candidates(row) where coding.concerns(candidate) {
                let problem = coding.problem(with: candidate).map { sources.locating($0, in: source) }
                // The bytes of an accepted value that has no text are not its text.
                let stored = problem == nil ? nil : candidate.storedText
                let isHidden = (isSecret || candidate.isSecret) && !showsSecrets
                state.layers.append(
                    .init(
                        name: candidate.layer, location: candidate.location,
                        text: isHidden ? Self.hidden : textOfValue(of: candidate) ?? stored,
                        isLocking: candidate.isLocking, problem: problem, bytes: candidate.data))
            }
            state.problem = state.layers.lazy.compactMap(\.problem).first
        } catch {
            state.problem = error
            show(coding.defaultValue)
        }
        return state
    }

    private static func describe(_ value: T) -> String {
        let isOptional = T.self is any OptionalValue.Type
        return String(describing: isOptional ? Mirror(reflecting: value).children.first?.value ?? value : value)
    }

    private func textOfValue(of candidate: SettingsStoreCandidate) -> String? {
        optionalResult(of: { try coding.value(of: $0) }, candidate).flatMap(coding.text)
    }

    package func canonicalText(ofText text: String) throws(SettingsError) -> String? {
        let value = coding.process(try coding.read(text))
        _ = try coding.bytes(for: value)
        return coding.text(of: value)
    }

    package func set(_ text: String?, in transaction: inout SettingsService.Transaction) throws(SettingsError) {
        guard let text else { return transaction.reset(self) }
        transaction.set(self, to: try coding.read(text))
    }

    package func text(in transaction: inout SettingsService.Transaction) -> String? {
        coding.text(of: transaction.get(self))
    }

    package func observeText(
        in service: SettingsService,
        _ body: @escaping @Sendable (_ text: String?, _ isSet: Bool, SettingsService.Origin) -> Void
    ) -> SettingsService.Subscription {
        service.observe(self) { [self, weak service] change in
            // A change does not tell from which layer its value is.
            let isHidden = isSecret || service?.mayHaveSecrets(in: key.scope) ?? true
            body(isHidden ? Self.hidden : coding.text(of: change.newValue), change.isSet, change.origin)
        }
    }
}

extension SettingsStoreCandidate {
    /// The stored bytes as text; nil for bytes that are no text, and for an argument without its value.
    fileprivate var storedText: String? {
        switch form {
        case .stored, .text, .json, .file: String(validating: data, as: UTF8.self)
        case .argument(let next): next
        }
    }
}

extension SettingsService.Source: CustomStringConvertible {
    /// The name of the layer, `store` or `default`.
    public var description: String {
        switch self {
        case .layer(let name): name
        case .store: "store"
        case .default: "default"
        }
    }
}
