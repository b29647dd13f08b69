import Foundation
import SettingsKitCore
import SettingsKitFiles

/// The value of a setting of `URL` in `UserDefaults`: the path of a file, or an archive of an `NSURL`. In the program its bytes are
/// JSON, as in every store.
extension PropertyListValue {
    private static let transformer = JSONTransformer<URL>()

    /// The bytes of the URL that `UserDefaults.url(forKey:)` returns. For a value that it does not accept, the usual bytes.
    ///
    /// A string with a scheme is the URL that it spells, which other code may also store. A path is that of a directory if it ends
    /// with a slash. The file system is not asked, because its answer changes.
    var bytesOfURL: Data {
        let url: URL? =
            switch self {
            case .string(let text) where !text.isEmpty && URL(string: text)?.scheme == nil: Self.fileURL(text)
            case .data(let data): Self.archivedURL(data)
            default: nil
            }
        return url.flatMap { optionalResult(of: Self.transformer.transformValue, $0) } ?? NativeValue.bytes(of: self)
    }

    /// Returns the value from which `UserDefaults.url(forKey:)` creates the URL in the bytes. Nil if they are no URL.
    ///
    /// Apple's `UserDefaults.set(_: URL?, forKey:)` stores this value. The one on Linux stores the path of every URL, of
    /// `https://example.com/a` only `/a`.
    ///
    /// - Parameter old: The replaced value. If it is the text of a URL, the new one is also text, unless it is a file's.
    static func storableURL(_ data: Data, resembling old: PropertyListValue?) -> PropertyListValue? {
        guard let url = optionalResult(of: transformer.untransformValue, data) else { return nil }
        let text = url.absoluteString
        var candidates: [PropertyListValue] = []
        if url.isFileURL {
            let path = url.path(percentEncoded: false)
            #if canImport(Darwin)
                // The home folder may have another path on the next device.
                let home = NSHomeDirectory() + "/"
                if path.hasPrefix(home) { candidates.append(.string("~/" + path.dropFirst(home.count))) }
            #endif
            candidates.append(.string(path))
        } else if case .string(let old) = old, URL(string: old)?.scheme != nil {
            candidates.append(.string(text))
        }
        if let url = NSURL(string: text),
            let archive = optionalResult(
                of: { try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) }, url)
        {
            candidates.append(.data(archive))
        }
        return candidates.first { $0.bytesOfURL == data }
    }

    private static func fileURL(_ path: String) -> URL {
        let expanded = path.hasPrefix("~") ? NSString(string: path).expandingTildeInPath : path
        return URL(fileURLWithPath: expanded, isDirectory: path.hasSuffix("/"))
    }

    // MARK: Archives

    /// Returns the URL in an archive of an `NSURL` by `NSKeyedArchiver`.
    ///
    /// It is read without `NSKeyedUnarchiver`, which on Linux ends the process if an archive is damaged. An archive is a
    /// dictionary: its objects are a list, and one refers to another by its position in the list.
    private static func archivedURL(_ data: Data) -> URL? {
        guard data.starts(with: "bplist".utf8),
            let archive = optionalResult(of: PropertyListReader.read, data),
            case .array(let objects) = archive["$objects"],
            let root = archive["$top"]?["root"]
        else { return nil }
        return root.url(among: objects, depth: 0)
    }

    private func url(among objects: [PropertyListValue], depth: Int) -> URL? {
        guard depth < 8, let url = object(among: objects), let type = url["$class"]?.object(among: objects),
            case .string("NSURL") = type["$classname"],
            case .string(let text) = url["NS.relative"]?.object(among: objects)
        else { return nil }
        // Without a base, this refers to the null at the first position.
        return URL(string: text, relativeTo: url["NS.base"]?.url(among: objects, depth: depth + 1))
    }

    /// Returns the object to which a reference refers.
    private func object(among objects: [PropertyListValue]) -> PropertyListValue? {
        guard case .integer(let place) = self["CF$UID"], let index = Int(exactly: place),
            objects.indices.contains(index)
        else { return nil }
        return objects[index]
    }

    /// A member of a dictionary.
    private subscript(name: String) -> PropertyListValue? {
        guard case .dictionary(let members) = self else { return nil }
        return members.first { $0.key == name }?.value
    }
}
