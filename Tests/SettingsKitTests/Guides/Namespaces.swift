import Foundation
import SettingsKit
import Testing

@Test private func aStoreIsUsedWithoutAService() throws {
    let heard = Mutex<[String]>([])
    let store = MemoryStore()
    try useStore(store) { text in heard.withLock { $0.append(text) } }
    #expect(heard.withLock { $0.count } == 4)
    #expect(store.keys().isEmpty)
    #expect(store.get(CatSettings.lives) == 9)
}
