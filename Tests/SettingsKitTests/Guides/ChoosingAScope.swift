import Foundation
import SettingsKit
import Testing

@Test private func eachScopeOfTheExampleHasAStore() async throws {
    try await withTemporaryFolder { folder in
        let settings = try serviceWithScopes(folder: folder)
        let theme = Setting<String>("theme", in: .shared, default: "system")
        try settings.save(.searches, to: ["swift"])
        try settings.save(.thumbnail, to: Data([1]))
        try settings.save(theme, to: "light")
        #expect(settings.get(.searches) == ["swift"])
        #expect(settings.get(.thumbnail) == Data([1]))
        #expect(settings.get(theme) == "light")
    }
}
