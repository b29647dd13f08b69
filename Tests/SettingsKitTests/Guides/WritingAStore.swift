import Foundation
import SettingsKit
import SettingsTestKit
import Testing

@Test private func vaultStoreKeepsTheContract() async {
    let report = await StoreConformance { VaultStore() }.run()
    #expect(report.failures.isEmpty, "\(report)")
}
