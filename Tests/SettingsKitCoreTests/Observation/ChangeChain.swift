import SettingsKitCore
import Testing

extension Recorder where Element == [Int] {
    /// Records the values before and after each change.
    func chain() -> @Sendable (SettingsService.Change<Int>) -> Void { { self.append([$0.oldValue, $0.newValue]) } }

    /// Checks that each change begins with the value that the one before it has set, and the first with `first`.
    func expectChain(from first: Int) {
        var last = first
        for change in all {
            if change[0] != last {
                Issue.record("After \(last) came \(change[0])-\(change[1])")
                return
            }
            last = change[1]
        }
        expectDifferences()
    }

    /// Checks that no change ends on the value with which it begins.
    func expectDifferences() { #expect(all.allSatisfy { $0[0] != $0[1] }) }
}
