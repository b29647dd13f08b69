import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files that lie beside a property list.
enum FilesBeside {
    /// The reason why a file is kept aside, which is part of its name.
    enum Reason: String {
        case damaged, stale
    }

    /// The path under which the property list is kept aside.
    static func asidePath(_ target: String, _ reason: Reason) -> String {
        target + suffix(reason)
    }

    /// The reason, the date in a form for file names (2026-11-21T083658Z), and a part that distinguishes names of the same
    /// second.
    static func suffix(_ reason: Reason) -> String {
        let date: String = Date().formatted(.iso8601)
        return ".\(reason.rawValue)-\(date.filter { $0 != ":" })-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    }

    /// The reason why the file of a name was kept aside; nil if it was not.
    static func asideReason(of name: String, _ target: String) -> Reason? {
        let stem = WholeFile.split(target).name
        guard name.hasPrefix(stem) else { return nil }
        var rest = name.dropFirst(stem.count)
        if rest.hasPrefix("-log") { rest = rest.dropFirst(4) }
        return [Reason.damaged, .stale].first { rest.hasPrefix(".\($0.rawValue)-") }
    }

    /// Whether a syncer gives such a name to a copy of a file: Syncthing, Dropbox or Nextcloud.
    static func isConflictCopy(_ name: String, of own: String) -> Bool {
        let stem = own.hasSuffix(".plist") ? String(own.dropLast(6)) : own
        guard name.hasPrefix(stem) else { return false }
        let rest = name.dropFirst(stem.count)
        return rest.hasPrefix(".sync-conflict-") || rest.contains("conflicted copy")
    }
}
