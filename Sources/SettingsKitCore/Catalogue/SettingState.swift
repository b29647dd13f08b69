/// A setting's values in a service's store, layer by layer, and the one in force.
package struct SettingState: Sendable {
    /// A setting's value in one layer.
    package struct Layer: Sendable {
        /// The name; nil for the layer that is written to.
        package var name: String?
        /// The name of the variable or the argument, if the layer knows it.
        package var location: String?
        /// The text of the value; nil if it has none. If the setting rejects the stored bytes, these as text; nil if they are no
        /// text.
        package var text: String?
        /// Whether the layer is above the one that is written to.
        package var isLocking: Bool
        /// The error if the setting rejects the stored bytes.
        package var problem: SettingsError?
    }

    /// The text of the value in force; nil if it has none.
    package var text: String?
    /// A description of the value in force for people, if it has no text. Nil for a secret.
    package var textlessValue: String?
    package var source: SettingsService.Source = .default
    /// Whether lists of settings hide the value in force.
    package var isSecret = false
    /// Whether the value in force is the last good one, because its layer now holds a rejected value.
    package var isLastGood = false
    /// The reason why the setting cannot be changed; nil if it can.
    package var lock: SettingsService.Lock?
    /// The layers that hold a value, the highest first.
    package var layers: [Layer] = []
    /// The names of all layers, the highest first; nil stands for the one that is written to.
    package var layerNames: [String?] = [nil]
    /// The first reason why a stored value is not used, or why the store cannot be read.
    package var problem: SettingsError?

    package var isLocked: Bool { lock != nil }

    /// The source of the value and the lock of the setting, in a few words.
    static func sourceText(_ source: SettingsService.Source, _ lock: SettingsService.Lock?) -> String {
        guard let lock else { return source.description }
        let isOwnLock = lock.problem == nil && source == .layer(lock.layer)
        return source.description + (isOwnLock ? ", locked" : ", locked by \(lock.layer)")
    }

    /// Why the store cannot be read; nil if it can.
    package var storeProblem: SettingsError? { layers.isEmpty ? problem : nil }

    /// Whether the layer that is written to holds a value.
    package var isSet: Bool { layers.contains { $0.name == nil } }
}

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
    func state(in service: SettingsService, showsSecrets: Bool) -> SettingState

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

    package func state(in service: SettingsService, showsSecrets: Bool) -> SettingState {
        var state = SettingState()
        state.isSecret = isSecret
        func show(_ value: T) {
            let isHidden = state.isSecret && !showsSecrets
            state.text = isHidden ? Self.hidden : coding.text(of: value)
            state.textlessValue = state.text == nil && !isHidden ? Self.describe(value) : nil
        }
        do throws(SettingsError) {
            let store = try service.connection(for: key).requireStore(for: key)
            if let layered = store.store.layered { state.layerNames = layered.layerNames }
            let stored = try store.read(key)
            let cached = service.cachedSetting(for: self)
            let inForce = cached.inForce(holding: stored)
            let candidate = inForce.resolution?.candidate
            if candidate?.isSecret == true { state.isSecret = true }
            show(cached.value(of: inForce))
            if let candidate {
                state.source = candidate.layer.map { .layer($0) } ?? .store
                state.isLastGood = !stored.all.contains(candidate)
            }
            state.lock = store.lock(of: key, holding: stored, candidate)
            for candidate in stored.all where coding.concerns(candidate) {
                let problem = cached.problem(with: candidate).map { store.store.locating($0) }
                // The bytes of an accepted value that has no text are not its text.
                let stored = problem == nil ? nil : candidate.storedText
                let isHidden = (isSecret || candidate.isSecret) && !showsSecrets
                state.layers.append(
                    SettingState.Layer(
                        name: candidate.layer, location: candidate.location,
                        text: isHidden ? Self.hidden : textOfValue(of: candidate) ?? stored,
                        isLocking: candidate.isLocking, problem: problem))
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
