import Foundation
import SettingsKitCore
import Synchronization

extension Check {
    /// Errors are shown and logged, so they must not contain values.
    ///
    /// - Parameter means: Without a closure that breaks the medium, no call throws, and the rule is skipped.
    static func errors(_ means: StoreConformance.Means) -> [Check] {
        [
            Check("errors.no-values", "Errors contain no values, neither those that are stored nor those to be stored.")
            { store in
                let breaks = [means.unreadable, means.unwritable].compactMap { $0 }
                if breaks.isEmpty {
                    throw NotOffered(reason: "neither `unreadable:` nor `unwritable:` was passed to the suite")
                }
                try store.set("stored", Secret.stored.json)
                try store.synchronize()
                let problems = Problems()
                for breaking in breaks {
                    try StoreConformance.Means.whileBroken(breaking, "", store) {
                        problems.provoke(store)
                        problems.attempt("opening") {
                            if let second = try means.reopen?(store) { problems.provoke(second) }
                        }
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

    /// The stored form of a text setting.
    var json: String { "\"\(rawValue)\"" }

    /// The forms in which bytes appear in texts: as text, in base 64 and 16, and as a list of numbers.
    private var forms: [String] {
        let bytes = Array(json.utf8)
        // The end of base 64 depends on the bytes that follow, and the quotation marks around a text may be missing.
        return [
            rawValue, String(Data(bytes).base64EncodedString().prefix(16)),
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
    private let state = Mutex((count: 0, leaks: [String]()), .leaf)

    /// Calls each function of a store, directly and through a service.
    func provoke(_ store: any SettingsStore) {
        attempt("get") { _ = try store.get(key("stored")) }
        attempt("set") { try store.set("stored", Secret.new.json) }
        attempt("removing") { try store.set("stored", nil) }
        attempt("a batch") {
            _ = try store.apply(["stored": Secret.new.json], expecting: ["stored": Secret.expected.json])
        }
        attempt("a batch") { _ = try store.apply(["other": Secret.new.json, "stored": Secret.new.json]) }
        attempt("keys") { _ = try store.keys() }
        attempt("removeAll") { try store.removeAll() }
        attempt("synchronize") { try store.synchronize() }
        let service = store.service(.init { [weak self] in self?.record("a diagnosis", $0) })
        let setting = SettingsService.Setting<String>("stored", in: .custom(id: "conformance"), default: "")
        attempt("load") { _ = try service.load(setting) }
        attempt("save") { try service.save(setting, to: Secret.new.rawValue) }
        service.update(setting) { _ in Secret.new.rawValue }
    }

    func attempt(_ call: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            record(call, error)
        }
    }

    private func record(_ call: String, _ error: any Error) {
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
