import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("A program whose standard output is closed", .timeLimit(Rounds.timeLimit))
struct ClosedOutputTests {
    @Test("What it prints reaches no file of a store, and fails as before")
    func prints() async throws {
        try await withTemporaryDirectory { directory in
            let count = 100
            try await Worker.run("print-while-closed", directory, "\(count)")
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                let bytes = try bytes(of: directory + "/" + name)
                #expect(bytes.range(of: Data("a line of the program".utf8)) == nil, "\(name)")
            }
            for number in 0..<count {
                let (service, problems) = SettingsService.over(try open("\(directory)/\(number).plist"))
                #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 2)
                #expect(problems.codes == [])
            }
        }
    }
}
