#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LayeredStore {
    /// One of the sources of values of a ``LayeredStore``.
    public struct Layer: Sendable {
        enum Source: Sendable {
            case store(any SettingsStore)
            /// Text that does not change.
            case text(any LayerText)
            /// Text that others change.
            case followed(SharedText)
        }

        /// The position that a layer must have.
        enum Place: String, Sendable {
            case aboveWritable = "above"
            case belowWritable = "below"
        }

        /// The layer's name; nil for the layer that is written to.
        var name: String?
        var source: Source
        /// The position that the layer must have; nil for the layer that is written to, and for one that may be anywhere.
        var place: Place?
        /// Whether lists of settings hide the values.
        var isSecret = false

        static let (argumentsName, environmentName) = ("arguments", "environment")

        /// Returns a layer for a store whose values cannot be changed, such as an administrator's.
        ///
        /// It must be above the layer that is written to, if there is one; below it, nothing would be locked.
        ///
        /// - Parameters:
        ///   - store: The store. It is never written to.
        ///   - name: The name for ``SettingsService/Source/layer(_:)`` and for messages.
        public static func locked(_ store: any SettingsStore, name: String) -> Layer {
            Layer(name: name, source: .store(store), place: .aboveWritable)
        }

        /// Returns a layer for the store that is written to, the user's. A layered store has one at most; without one, nothing can be
        /// written.
        public static func writable(_ store: any SettingsStore) -> Layer { Layer(name: nil, source: .store(store)) }

        /// Returns a layer for a store whose values are used if no layer above has one, such as the one for all users of a machine.
        ///
        /// It must be below the layer that is written to; above it, its values would lock their settings.
        ///
        /// - Parameters:
        ///   - store: The store. It is never written to.
        ///   - name: The name for ``SettingsService/Source/layer(_:)`` and for messages.
        public static func fallback(_ store: any SettingsStore, name: String) -> Layer {
            Layer(name: name, source: .store(store), place: .belowWritable)
        }

        /// Returns a layer for arguments of the process, such as `--volume=0.8`, `--volume 0.8`, `--muted` and `--no-muted`. The
        /// layer's name is `arguments`.
        ///
        /// The setting `launchCount` is `--launch-count` or `--launchCount`. `sound.volume` is `--sound-volume`, `--soundVolume`
        /// or, like every name, the name itself: `--sound.volume`. The type of a setting determines the meaning of the text.
        ///
        /// Above the layer that is written to, an argument locks its setting. Below it, the argument is used if no layer above has
        /// a value.
        ///
        /// - The last argument of a setting is used, and all of them if the setting is a list: `--host a --host b`.
        /// - An argument without a value sets a Boolean, which uses the next argument only if that is exactly `true` or `false`:
        ///   `--muted false`. A setting of another type uses the next argument, unless that begins with two hyphens; `--volume -5`
        ///   works.
        /// - The argument `--` ends the options.
        /// - Other arguments are ignored.
        ///
        /// - Parameter arguments: The arguments, without the name of the program.
        public static func arguments(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> Layer {
            Layer(name: argumentsName, source: .text(ArgumentText(arguments)))
        }

        /// Returns a layer for variables of the process's environment, such as `PLAYER_VOLUME=0.8`. The layer's name is
        /// `environment`.
        ///
        /// A variable's name is the prefix and the setting's name in capitals. `_` precedes each word that begins with a capital,
        /// and replaces every character that is neither a letter nor a digit:
        ///
        /// | setting | variable with the prefix `PLAYER_` |
        /// |---|---|
        /// | `volume` | `PLAYER_VOLUME` |
        /// | `launchCount` | `PLAYER_LAUNCH_COUNT` |
        /// | `sound.volume` | `PLAYER_SOUND_VOLUME` |
        /// | `apiURL`, `URLScheme` | `PLAYER_API_URL`, `PLAYER_URL_SCHEME` |
        /// | `http2Server` | `PLAYER_HTTP2_SERVER` |
        ///
        /// The type of a setting determines the meaning of the text. Variables lock as arguments do.
        ///
        /// - Parameters:
        ///   - prefix: The prefix of the program's variables, usually the program's name and `_`.
        ///   - environment: The variables. They are read once.
        ///   - ignoresEmpty: Whether a variable with an empty value counts as one that is not set. Otherwise it is the empty text, list
        ///     or data, and ``SettingsCatalogue/check(in:)`` returns it if it locks a setting.
        public static func environment(
            prefix: String, _ environment: [String: String] = ProcessInfo.processInfo.environment,
            ignoresEmpty: Bool = false
        ) -> Layer {
            let text = EnvironmentText(environment, prefix: prefix, ignoresEmpty: ignoresEmpty)
            return Layer(name: environmentName, source: .text(text))
        }

        /// Returns a layer for text that others change. It may be anywhere.
        package static func followed(_ text: any FollowedText, name: String, isSecret: Bool = false) -> Layer {
            Layer(name: name, source: .followed(SharedText(text)), isSecret: isSecret)
        }

        /// The layer's store; nil for a text.
        var store: (any SettingsStore)? { if case .store(let store) = source { store } else { nil } }

        /// The layer's text as it was read last; nil for a store.
        var text: (any LayerText)? {
            switch source {
            case .store: nil
            case .text(let text): text
            case .followed(let shared): shared.text
            }
        }

        /// The text that others change; nil if there is none.
        var followed: SharedText? { if case .followed(let shared) = source { shared } else { nil } }

        /// Reads what the layer holds under a name.
        func read(_ key: SettingsService.StorageKey, in text: (any LayerText)?, isLocking: Bool) -> Held.Content {
            guard let store else { return read(SpelledName(key.name), in: text, isLocking: isLocking) }
            HeldLocks.requireNone(before: "a store")
            do {
                return Held.Content(try store.get(key))
            } catch {
                let error = SettingsError.wrap(error, as: .readFailed, store: store.storeDescription)
                return .unreadable(error.completed(key: nil, store: nil, layer: name))
            }
        }

        /// Reads what a text holds for a name.
        func read(_ spelled: SpelledName, in text: (any LayerText)?, isLocking: Bool) -> Held.Content {
            guard var candidate = text?.candidate(for: spelled) else { return .nothing }
            (candidate.layer, candidate.isLocking, candidate.isSecret) = (name, isLocking, isSecret)
            return .text(candidate)
        }

        /// Returns a value as a setting's type judges it; nil if there is none.
        func candidate(_ content: Held.Content, isLocking: Bool) -> SettingsStoreCandidate? {
            switch content {
            case .nothing, .unreadable: return nil
            case .text(let candidate): return candidate
            case .bytes(let data):
                var candidate = SettingsStoreCandidate(data, layer: name, isLocking: isLocking)
                candidate.isSecret = isSecret
                return candidate
            }
        }

        /// Why values of the layer are missing; nil if none are. Reads the layer.
        var problem: SettingsError? {
            guard let store else { return followed?.problem?.completed(key: nil, store: nil, layer: name) }
            do throws(SettingsError) {
                if type(of: store) == RecoveringStore.self { try (store as? RecoveringStore)?.requireOpen() }
                do {
                    _ = try store.keys()
                } catch {
                    throw .wrap(error, as: .readFailed, store: store.storeDescription)
                }
                if (store as? any LocatingStore)?.isDamaged == true { throw SettingsError(.damaged) }
                return nil
            } catch {
                if error.code == .unsupported { return nil }
                return error.completed(key: nil, store: store.storeDescription, layer: name)
            }
        }

        private var isBuiltIn: Bool {
            if case .text = source { true } else { false }
        }

        /// Returns the layers with the one that is written to, and its position. If there is none, one that refuses every change is
        /// the highest, so that none of the others locks.
        ///
        /// - Throws: `invalidLayers`.
        static func usable(_ layers: [Layer]) throws(SettingsError) -> (layers: [Layer], writable: Int) {
            if layers.isEmpty { throw LayersProblem("There are no layers.").error }
            var layers = layers.flatMap(\.spliced)
            for layer in layers { try layer.followed?.begin() }
            let writable = layers.indices.filter { layers[$0].name == nil }
            if writable.count > 1 { throw LayersProblem("\(writable.count) layers are writable; one may be.").error }
            try requireUsable(layers, writable: writable.first)
            if writable.isEmpty { layers.insert(.writable(UnwritableStore()), at: 0) }
            return (layers, writable.first ?? 0)
        }

        /// The layer, with its store's lock and feed; or the layers of a store that has layers itself.
        private var spliced: [Layer] {
            guard let store else { return [self] }
            guard let layered = store as? LayeredStore else {
                return [Layer(name: name, source: .store(store.serialized), place: place, isSecret: isSecret)]
            }
            return layered.layers.compactMap { layer in
                if layer.name == nil, name != nil, layer.store is UnwritableStore { return nil }
                var layer = layer
                (layer.name, layer.place) = (layer.name ?? name, nil)
                layer.isSecret = layer.isSecret || isSecret
                return layer
            }
        }

        private static func requireUsable(_ layers: [Layer], writable position: Int?) throws(SettingsError) {
            var names: Set<String> = []
            for (index, layer) in layers.enumerated() {
                guard let name = layer.name else { continue }
                if name.isEmpty { throw LayersProblem("The name of a layer is empty.").error }
                if !layer.isBuiltIn, [argumentsName, environmentName].contains(name) {
                    throw LayersProblem("The name \"\(name)\" belongs to another kind of layer.").error
                }
                if !names.insert(name).inserted { throw LayersProblem("Two layers have the name \"\(name)\".").error }
                guard let position else { continue }
                let place: Place = index < position ? .aboveWritable : .belowWritable
                if let required = layer.place, required != place { throw LayersProblem(name, mustBe: required).error }
            }
        }
    }
}
