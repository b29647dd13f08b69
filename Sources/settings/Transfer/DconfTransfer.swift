import SettingsCommandLine
import SettingsKit

/// Settings in what `dconf dump` prints: groups in brackets, and keys with values in the text form of GVariant.
///
/// The name of a setting is the group's path and the key, `org/gnome/desktop/interface/clock-format`; the group `/` adds nothing.
/// Booleans, numbers, strings, arrays, tuples (as arrays), dictionaries, variants (as their values), `nothing` (as JSON `null`),
/// and byte strings (as data) are imported. Everything else is reported by name: numbers that are not finite, dictionary entries
/// outside of a dictionary, and text that is not a value.
///
/// Reading takes linear time. Values are nested at most 128 levels deep, as in GVariant.
enum DconfTransfer {
    static func read(_ file: Data) throws(TransferProblem) -> TransferredSettings {
        guard let text = String(validating: file, as: UTF8.self) else {
            throw TransferProblem(message: "The file is not text in UTF-8.")
        }
        var settings = TransferredSettings()
        var group: Substring?
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, utf8) in lines.enumerated() {
            let line = trimmed(Substring(utf8))
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]"), line.utf8.count > 2 {
                group = line.dropFirst().dropLast()
                continue
            }
            guard let group else {
                throw TransferProblem(
                    message: "Expected a group in brackets, as dconf dump prints it.", line: index + 1)
            }
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw TransferProblem(message: "Expected KEY=value.", line: index + 1)
            }
            let key = trimmed(line[..<equals])
            let path = group.split(separator: "/").joined(separator: "/")
            let name = path.isEmpty ? String(key) : "\(path)/\(key)"
            switch VariantText.bytes(of: Array(line[line.utf8.index(after: equals)...].utf8)) {
            case .success(let bytes): settings.add(name, bytes)
            case .failure(let problem): settings.unsupported.append(.init(name: name, reason: problem.reason))
            }
        }
        return settings
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var utf8 = text.utf8
        while let first = utf8.first, [0x20, 0x09, 0x0D].contains(first) { utf8.removeFirst() }
        while let last = utf8.last, [0x20, 0x09, 0x0D].contains(last) { utf8.removeLast() }
        return Substring(utf8)
    }
}
