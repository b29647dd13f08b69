#if DEBUG
    import Foundation
    import SettingsKitCore
    import Testing

    @testable import SettingsCommandLine

    @Suite("The streams of a command")
    struct CommandStreamsTests {
        @Test("Used with a lock held, they end the process", arguments: ["read", "print", "report"])
        func checked(use: String) async {
            @Sendable func run(_ use: String) {
                let streams = CommandStreams(read: { Data() }, output: { _ in }, errors: { _ in })
                switch use {
                case "read": _ = try? streams.read()
                case "print": try? streams.print("")
                default: streams.report("")
                }
            }
            await #expect(processExitsWith: .success) { [use] in run(use) }
            await #expect(processExitsWith: .failure) { [use] in
                RankedMutex(0, .standardStore).withLock { _ in run(use) }
            }
        }
    }
#endif
