#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of a file in UTF-8, or of one entry in a file, with the places in the file.
struct FileBytes: Sendable {
    private enum Places: Sendable {
        case lines(TextLines)
        /// The place of the entry; nil if it is unknown.
        case entry(TextPosition?)
    }

    /// The one of UTF-8.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let bytes: [UInt8]
    /// The offset of the text: a byte order mark is no part of it.
    let start: Int
    private let places: Places

    /// - Throws: A problem if the bytes are not UTF-8.
    init(_ data: Data) throws(SettingsFileProblem) {
        bytes = Array(data)
        start = data.starts(with: Self.byteOrderMark) ? 3 : 0
        places = .lines(TextLines(bytes, from: start))
        if String(validating: bytes, as: UTF8.self) != nil { return }
        let repaired = String(decoding: bytes, as: UTF8.self).utf8
        let offset = zip(bytes, repaired).enumerated().first { $1.0 != $1.1 }?.offset
        throw SettingsFileProblem("The text is not in UTF-8", at: position(of: offset ?? bytes.count))
    }

    init(entry text: String, at position: TextPosition?) {
        (bytes, start, places) = (Array(text.utf8), 0, .entry(position))
    }

    /// Returns the place of a byte. Linear in the length of its line.
    func position(of offset: Int) -> TextPosition? {
        switch places {
        case .lines(let lines): lines.position(of: offset, in: bytes)
        case .entry(let position): position
        }
    }
}
