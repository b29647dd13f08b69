import SettingsKitCore
import SettingsTestKit
import Testing

extension FaultyFileSystem {
    /// Has all calls that change something fail, as on a full disk.
    ///
    /// - Returns: a function that ends that.
    package func makeUnwritable() -> @Sendable () -> Void {
        set(.calls(Set(Call.allCases.filter(\.isWriting) + [.openForAppending, .truncate]), errno: Self.noRoom))
        return { self.set(.none) }
    }
}

extension StoreConformanceReport {
    /// The groups of the rules that were not checked: the first words of their names.
    package var skippedGroups: Set<String> {
        Set(
            skipped.map {
                $0.rule.id.hasPrefix("durability.killed") ? "killed" : String($0.rule.id.prefix { $0 != "." })
            })
    }
}
