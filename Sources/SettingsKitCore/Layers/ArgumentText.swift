#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options among a process's arguments, by their names.
struct ArgumentText: Sendable {
    private struct Option {
        /// Its place among the options; the last one of a setting counts.
        let place: Int
        /// The option with its hyphens, for messages.
        let spelling: String
        let value: String?
        /// The next argument, if it is not an option.
        let next: String?
    }

    /// The last option of each name.
    private var options: [String: Option] = [:]

    init(_ arguments: [String]) {
        for (place, argument) in arguments.enumerated() {
            if argument == "--" { return }
            guard argument.hasPrefix("--") else { continue }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty else { continue }
            let next = place + 1 < arguments.count ? arguments[place + 1] : nil
            options[String(name)] = Option(
                place: place, spelling: "--\(name)", value: parts.count == 2 ? String(parts[1]) : nil,
                next: next.flatMap { $0.hasPrefix("--") ? nil : $0 })
        }
    }

    var isEmpty: Bool { options.isEmpty }

    /// What the arguments say about a setting; nil for nothing.
    func candidate(for name: String) -> SettingsStoreCandidate? {
        var last: (option: Option, isNegated: Bool)?
        func consider(_ spelling: String, isNegated: Bool) {
            guard let option = options[spelling], option.place >= last?.option.place ?? 0 else { return }
            // `--no-muted=true` says nothing about `muted`.
            if isNegated, option.value != nil { return }
            last = (option, isNegated)
        }
        for spelling in SettingSpelling.options(for: name) {
            consider("no-" + spelling, isNegated: true)
            consider(spelling, isNegated: false)
        }
        guard let (option, isNegated) = last else { return nil }
        let form: SettingsStoreCandidate.Form =
            option.value == nil ? .argument(next: isNegated ? nil : option.next) : .text
        let text = option.value ?? (isNegated ? "false" : "true")
        return SettingsStoreCandidate(Data(text.utf8), form: form, location: option.spelling)
    }
}
