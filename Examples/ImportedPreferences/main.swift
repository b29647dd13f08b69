import Foundation
import SettingsKit

// Reads the preferences of an application that does not use SettingsKit, changes some of them, and prints the lines of the
// file that have changed. Run it with `swift run ImportedPreferences`.

/// The state of the application's toolbar: a dictionary in the file, a structure here.
struct Toolbar: Codable, Sendable {
    var displayMode: Int
    var iconSizeMode: Int
    var isShown: Bool
    var items: [String]

    enum CodingKeys: String, CodingKey {
        case displayMode = "TB Display Mode"
        case iconSizeMode = "TB Icon Size Mode"
        case isShown = "TB Is Shown"
        case items = "TB Item Identifiers"
    }
}

extension CollectionDifference.Change {
    /// The index of the line.
    var position: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}

extension SettingsService.SettingDefinition {
    static let checksSpelling = Setting<Bool>("CheckSpellingWhileTyping", in: .defaults, default: false)
    static let width = Setting<Int>("WidthInChars", in: .defaults, default: 75)
    static let autosaveDelay = Setting<Double>("AutosaveDelay", in: .defaults, default: 15)
    static let font = Setting<String>("NSFixedPitchFont", in: .defaults, default: "Menlo")
    static let lastUpdateCheck = Setting<Date?>("LastUpdateCheck", in: .defaults)
    static let bookmark = Setting<Data?>("WebArchiveBookmark", in: .defaults)
    static let searches = Setting<[String]>("RecentSearchStrings", in: .defaults, default: [])
    static let toolbar = Setting<Toolbar?>("NSToolbar Configuration Editor", in: .defaults)
    static let tabWidth = Setting<Int>("TabWidth", in: .defaults, default: 8)
}

// The example works on a copy in a temporary folder.
guard let original = Bundle.module.url(forResource: "com.apple.TextEdit", withExtension: "plist") else {
    fatalError("The example's property list is missing from its bundle.")
}
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("ImportedPreferences-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let file = folder.appendingPathComponent("com.apple.TextEdit.plist")
try FileManager.default.copyItem(at: original, to: file)

let before = try String(contentsOf: file, encoding: .utf8)
let settings = SettingsService(defaults: try PropertyListStore(url: file))

print("Look at the lines of another program's file that change, and at all those that stay.")
print("Settings read from com.apple.TextEdit.plist:")
print("  checksSpelling   \(settings.get(.checksSpelling))")
print("  width            \(settings.get(.width))")
print("  autosaveDelay    \(settings.get(.autosaveDelay))")
print("  font             \(settings.get(.font))")
print("  lastUpdateCheck  \(settings.get(.lastUpdateCheck)?.description ?? "never")")
print("  bookmark         \(settings.get(.bookmark)?.count ?? 0) bytes")
print("  searches         \(settings.get(.searches))")
print("  toolbar          \(settings.get(.toolbar)?.items ?? [])")
print("  tabWidth         \(settings.get(.tabWidth)) (the default; the file has no value)")

settings.set(.width, to: 120)
settings.update(.searches) { $0.append("release notes") }
settings.update(.toolbar) { $0?.isShown = false }
settings.update(.lastUpdateCheck) { $0 = $0?.addingTimeInterval(86_400) }
settings.reset(.font)
try settings.bringUpToDate()

let after = try String(contentsOf: file, encoding: .utf8)
print("\nLines that differ after five changes (- before, + after):\n")
let (old, new) = (before.components(separatedBy: "\n"), after.components(separatedBy: "\n"))
let difference = new.difference(from: old)
let removed = Set(difference.removals.map(\.position))
let inserted = Set(difference.insertions.map(\.position))
var (oldLine, newLine) = (0, 0)
while oldLine < old.count || newLine < new.count {
    if removed.contains(oldLine) {
        print("- \(old[oldLine])")
        oldLine += 1
    } else if inserted.contains(newLine) {
        print("+ \(new[newLine])")
        newLine += 1
    } else {
        // Print a key before its changed value.
        if new[newLine].contains("<key>"), removed.contains(oldLine + 1) || inserted.contains(newLine + 1) {
            print("  \(new[newLine])")
        }
        oldLine += 1
        newLine += 1
    }
}
let unchanged = old.count - removed.count
print("\nAll other \(unchanged) lines are unchanged. The comment says which part of the journal the file contains.")
try FileManager.default.removeItem(at: folder)
