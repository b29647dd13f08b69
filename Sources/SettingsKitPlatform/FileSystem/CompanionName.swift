/// The names of the files beside a file that belong to it.
///
/// A name in a directory has at most 255 bytes. If a file's own name is long, the names of its companions contain a part of it
/// and a hash of all of it, so that every process computes the same name.
package enum CompanionName {
    /// The beginning of the names of all companions of a file.
    package static func stem(of name: String) -> String {
        guard name.utf8.count > PlatformLimits.longestOwnName else { return name }
        var kept = ""
        var size = 0
        for character in name {
            size += character.utf8.count
            guard size <= PlatformLimits.keptNameSize else { break }
            kept.append(character)
        }
        return kept + "~" + hash(of: name).hexDigits
    }

    /// The 64-bit FNV-1a hash of a name's UTF-8 (Fowler, Noll, Vo).
    private static func hash(of name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    }

    /// The path of a file's companion with the given suffix.
    package static func path(beside target: String, suffix: String) -> String {
        let (directory, name) = WholeFile.split(target)
        return WholeFile.join(directory, stem(of: name) + suffix)
    }
}
