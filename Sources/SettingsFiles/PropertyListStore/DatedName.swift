#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Names of files that are kept aside.
enum DatedName {
    /// Under which name a damaged file is kept: dated, and told from others of the same second.
    static func damaged(_ name: String) -> String {
        let random = String(UInt32.random(in: .min ... .max), radix: 36)
        return "\(name).damaged-\(timestamp(Date()))-\(random)"
    }

    /// The date as it may stand in a file's name, 2026-11-21T083658Z.
    private static func timestamp(_ date: Date) -> String {
        let text = date.formatted(.iso8601)
        return text.filter { $0 != ":" }
    }
}
