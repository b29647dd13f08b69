import SettingsKitCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    /// Errors are shown and logged, so they must not contain values.
    ///
    /// - Parameter means: Without a closure that breaks the medium, no call throws, and the rule is skipped.
    static func errors(_ means: StoreConformance.Means) -> [Check] {
        [
            Check("errors.no-values", "Errors contain no values, neither those that are stored nor those to be stored.")
            {
                store in
                guard means.unreadable != nil || means.unwritable != nil else {
                    throw NotOffered(reason: "neither `unreadable:` nor `unwritable:` was passed to the suite")
                }
                try store.set(key("stored"), to: Secret.stored.data)
                try store.synchronize()
                let problems = Problems()
                if means.unreadable != nil {
                    try StoreConformance.Means.whileBroken(means.unreadable, "unreadable", store) {
                        problems.provoke(store)
                        do {
                            if let second = try means.reopen?(store) { problems.provoke(second) }
                        } catch {
                            problems.record("opening", error)
                        }
                    }
                }
                if means.unwritable != nil {
                    try StoreConformance.Means.whileBroken(means.unwritable, "unwritable", store) {
                        problems.provoke(store)
                    }
                }
                try problems.requireSilence()
                try require(!Secret.isIn(store.storeDescription), "storeDescription contains a value.")
            }
        ]
    }
}

/// Values that occur nowhere else, so that a search finds them.
private enum Secret: String, CaseIterable {
    case stored = "cellar-door-7f3a91"
    case new = "open-sesame-c08e55"
    case expected = "shibboleth-42b6d0"

    /// The stored form of a text setting: JSON.
    var data: Data { Data("\"\(rawValue)\"".utf8) }

    /// The forms in which bytes appear in texts: as text, in base 64 and 16, and as a list of numbers.
    private var forms: [String] {
        let bytes = Array(data)
        // The end of base 64 depends on the bytes that follow, and the quotation marks around a text may be missing.
        return [
            rawValue, String(data.base64EncodedString().prefix(16)),
            String(Data(rawValue.utf8).base64EncodedString().prefix(16)),
            bytes.dropFirst().prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
            bytes.dropFirst().prefix(8).map { "\($0)" }.joined(separator: ", "),
        ]
    }

    static func isIn(_ text: String) -> Bool {
        let words = words(of: text)
        return allCases.flatMap(\.forms).contains { words.contains(Self.words(of: $0)) }
    }

    /// Only letters and digits, because a list of numbers may have one number a line.
    private static func words(of text: String) -> String {
        text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: " ")
    }
}

/// The errors that a store with a broken medium has thrown and reported.
private final class Problems: Sendable {
    private struct State {
        var count = 0
        var leaks: [String] = []
    }

    private let state = Mutex(State(), .leaf)

    /// Calls each function of a store, directly and through a service.
    func provoke(_ store: any SettingsStore) {
        attempt("get") { _ = try store.get(key("stored")) }
        attempt("set") { try store.set(key("stored"), to: Secret.new.data) }
        attempt("removing") { try store.set(key("stored"), to: nil) }
        attempt("a batch") {
            _ = try store.apply(
                .init(
                    writes: [.init(key: key("stored"), data: Secret.new.data)],
                    expectations: [.init(key: key("stored"), data: Secret.expected.data)]))
        }
        attempt("a batch") {
            _ = try store.apply(
                .init(writes: [
                    .init(key: key("other"), data: Secret.new.data), .init(key: key("stored"), data: Secret.new.data),
                ]))
        }
        attempt("keys") { _ = try store.keys() }
        attempt("removeAll") { try store.removeAll() }
        attempt("synchronize") { try store.synchronize() }
        let service = SettingsService(
            stores: [.custom(id: "conformance"): store],
            diagnosticSink: .init { [weak self] in self?.record("a diagnosis", $0) })
        let setting = SettingsService.Setting<String>("stored", in: .custom(id: "conformance"), default: "")
        attempt("load") { _ = try service.load(setting) }
        attempt("save") { try service.save(setting, to: Secret.new.rawValue) }
        service.update(setting) { _ in Secret.new.rawValue }
    }

    private func attempt(_ call: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            record(call, error)
        }
    }

    func record(_ call: String, _ error: any Error) {
        // Includes the error's properties, which debuggers and loggers show. (Of the error under a SettingsError, they show only
        // the type.)
        var contents = ""
        dump(error, to: &contents)
        let texts = ["\(error)", String(reflecting: error), contents]
        state.withLock { state in
            state.count += 1
            if texts.contains(where: Secret.isIn) { state.leaks.append("\(call): an error of type \(type(of: error))") }
        }
    }

    func requireSilence() throws {
        let state = state.withLock { $0 }
        if state.count == 0 { throw NotOffered(reason: "no call threw while the medium was broken") }
        try require(state.leaks.isEmpty, "A value is in the error of \(state.leaks.joined(separator: "; ")).")
    }
}
