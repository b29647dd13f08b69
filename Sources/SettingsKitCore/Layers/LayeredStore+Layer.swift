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
            case followed(any FollowedText)
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
        public static func environment(
            prefix: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
        ) -> Layer {
            Layer(name: environmentName, source: .text(EnvironmentText(environment, prefix: prefix)))
        }

        /// Returns a layer for text that others change. It may be anywhere.
        package static func followed(_ text: any FollowedText, name: String, isSecret: Bool = false) -> Layer {
            Layer(name: name, source: .followed(text), isSecret: isSecret)
        }

        /// The layer's text when the layers are made; nil for a store.
        var text: (any LayerText)? {
            switch source {
            case .store: nil
            case .text(let text): text
            case .followed: EmptyText()
            }
        }

        /// The text that others change; nil if there is none.
        var followed: (any FollowedText)? {
            if case .followed(let text) = source { text } else { nil }
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
            let writable = layers.indices.filter { layers[$0].name == nil }
            if writable.count > 1 { throw LayersProblem("\(writable.count) layers are writable; one may be.").error }
            guard let position = writable.first else {
                try requireUsable(layers, writable: nil)
                return ([.writable(UnwritableStore())] + layers, 0)
            }
            try requireUsable(layers, writable: position)
            return (layers, position)
        }

        /// - Parameter position: The position of the layer that is written to; nil if there is none.
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
