import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import SettingsTestSupport
import Testing

/// Another process changes a setting in the moment in which this one brings the property list up to date.
@Suite("Listeners run without a lock, also while the log is printed", .ownThreads)
struct ListenerTests {
    /// What a listener does, that must not wait for the thread that has called it.
    enum Action: CaseIterable, Sendable {
        case synchronize, set, waitForThread

        func run(_ service: SettingsService) throws {
            switch self {
            case .synchronize: try service.bringUpToDate()
            case .set: try service.save(Setting("answer", in: .defaults, default: 0), to: 42)
            case .waitForThread:
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    do { try service.bringUpToDate() } catch { Issue.record(error) }
                    done.signal()
                }
                done.wait()
            }
        }
    }

    @Test(
        "A listener may use the store while another process's change is found by printing",
        arguments: Action.allCases, [FaultyFileSystem.Call.create, .synchronize])
    func printing(_ action: Action, when call: FaultyFileSystem.Call) throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            let other = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
            let setting = Setting<Int>("number", in: .defaults, default: 0)
            let recorder = Recorder<Int>()
            let subscription = service.observe(setting) { change in
                recorder.append(change.newValue)
                do { try action.run(service) } catch { Issue.record(error) }
            }
            try store.set(key("other"), to: Data("1".utf8))
            let hasActed = Mutex(false)
            fileSystem.after { happened in
                let isFirst = hasActed.withLock { hasActed in
                    defer { hasActed = hasActed || happened == call }
                    return happened == call && !hasActed
                }
                if isFirst { #expect(throws: Never.self) { try other.set(key("number"), to: Data("7".utf8)) } }
            }
            try store.bringUpToDate()
            // Whichever look at the log found it.
            try store.refresh()
            #expect(recorder.all == [7])
            subscription.cancel()
        }
    }
}
