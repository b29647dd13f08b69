#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A process's options, by name.
struct ArgumentText: LayerText {
    private struct Option {
        /// Its position among the options; the last one of a setting is used.
        let place: Int
        /// The option with its hyphens, for messages.
        let spelling: String
        let value: String?
        /// The next argument, if it is not an option.
        let next: String?

        /// The text of a setting that is no Boolean.
        var text: String? { value ?? next }
    }

    private var count = 0
    /// The options of each name.
    private var options: [String: [Option]] = [:]
    /// The last option without a value of each name that begins with `no-`.
    private var negations: [String: Option] = [:]

    init(_ arguments: [String] = []) {
        for (place, argument) in arguments.enumerated() {
            if argument == "--" { return }
            guard argument.hasPrefix("--") else { continue }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty else { continue }
            let next = place + 1 < arguments.count ? arguments[place + 1] : nil
            add(
                String(name), value: parts.count == 2 ? String(parts[1]) : nil,
                next: next.flatMap { $0.hasPrefix("--") ? nil : $0 })
        }
    }

    /// Adds an option.
    ///
    /// - Parameters:
    ///   - value: The value in the same argument.
    ///   - next: The next argument, if it is not an option.
    mutating func add(_ name: String, value: String?, next: String? = nil) {
        let option = Option(place: count, spelling: "--\(name)", value: value, next: next)
        count += 1
        options[name, default: []].append(option)
        // `--no-muted=true` does not set `muted`.
        if name.hasPrefix("no-"), value == nil { negations[name] = option }
    }

    var isEmpty: Bool { options.isEmpty }

    /// Returns whether the argument after a Boolean option is its value.
    static func isFlagValue(_ argument: String?) -> Bool { argument == "true" || argument == "false" }

    func candidate(for name: SpelledName) -> SettingsStoreCandidate? {
        let spellings = name.options
        var present = spellings.flatMap { options[$0] ?? [] }.sorted { $0.place < $1.place }
        let option = present.popLast()
        let negation = spellings.compactMap { negations["no-" + $0] }.max { $0.place < $1.place }
        var candidate: SettingsStoreCandidate
        if let negation, negation.place > option?.place ?? -1 {
            // Only a Boolean can be negated. A setting of another type uses the text of the option itself.
            candidate = .init(Data("false".utf8), form: .argument(next: option?.text), location: negation.spelling)
        } else if let option {
            candidate = .init(
                Data((option.value ?? "true").utf8), form: option.value == nil ? .argument(next: option.next) : .text,
                location: option.spelling)
        } else {
            return nil
        }
        candidate.earlierTexts = present.compactMap(\.text)
        return candidate
    }
}
