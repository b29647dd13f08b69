import Foundation
import SettingsKitCore
import SettingsKitFiles

/// The value of a setting of `URL` in `UserDefaults`: the path of a file; on Apple platforms, an archive of any other URL, and on
/// Linux its text. In the program its bytes are JSON, as in every store.
extension PropertyListValue {
    private static let transformer = JSONTransformer<URL>()

    /// The bytes of the URL that `UserDefaults.url(forKey:)` returns. For a value that it does not accept, the usual bytes.
    ///
    /// A string with a scheme is the URL that it spells, which other code may also store. A path is that of a directory if it ends
    /// with a slash. The file system is not asked, because its answer changes.
    var bytesOfURL: Data {
        url.flatMap { optionalResult(of: Self.transformer.transformValue, $0) } ?? NativeValue.bytes(of: self)
    }

    private var url: URL? {
        switch self {
        case .string(let text) where !text.isEmpty && URL(string: text)?.scheme == nil:
            let path = text.hasPrefix("~") ? NSString(string: text).expandingTildeInPath : text
            return URL(fileURLWithPath: path, isDirectory: text.hasSuffix("/"))
        #if canImport(Darwin)
            case .data(let archive):
                let url = optionalResult(
                    of: { try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: $0) }, archive)
                return url??.absoluteURL
        #endif
        default: return nil
        }
    }

    /// Creates the value from which `UserDefaults.url(forKey:)` creates the URL in the bytes. Nil if they are no URL, and on Linux if
    /// it is not a file's: `UserDefaults` keeps only the path of a URL there, and a damaged archive ends the process.
    init?(urlIn data: Data) {
        guard let url = optionalResult(of: Self.transformer.untransformValue, data) else { return nil }
        if url.isFileURL {
            let path = url.path(percentEncoded: false)
            #if canImport(Darwin)
                // The home folder may have another path on the next device.
                let home = NSHomeDirectory() + "/"
                self = .string(path.hasPrefix(home) ? "~/" + path.dropFirst(home.count) : path)
            #else
                self = .string(path)
            #endif
            return
        }
        #if canImport(Darwin)
            let archive = optionalResult(
                of: { try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) }, url)
            guard let archive else { return nil }
            self = .data(archive)
        #else
            return nil
        #endif
    }
}
