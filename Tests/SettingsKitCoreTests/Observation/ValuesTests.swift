import Foundation
import SettingsKitCore
import Testing

@Suite("Streams of values", .timeLimit(Rounds.timeLimit))
struct ValuesTests {
    private let number = Setting<Int>("number", in: .defaults, default: 7)

    @Test("The current value comes first, then the newest", arguments: StoreKind.allCases)
    func currentFirst(kind: StoreKind) async {
        let settings = SettingsService.over(kind.make())
        var values = settings.values(of: number).makeAsyncIterator()
        #expect(await values.next() == 7)
        settings.set(number, to: 8)
        #expect(await values.next() == 8)
        for value in 9...500 { settings.set(number, to: value) }
        #expect(await values.next() == 500)
        settings.reset(number)
        #expect(await values.next() == 7)
    }

    @Test("A value committed between subscribing and reading is not missed, and does not come twice")
    func nothingMissed() async {
        let settings = SettingsService.over(MemoryStore())
        let other = Setting<Int>("other", in: .defaults, default: 0)
        let stream = settings.values(of: number)
        settings.set(number, to: 8)
        settings.set(other, to: 1)
        var values = stream.makeAsyncIterator()
        #expect(await values.next() == 8)
        settings.set(other, to: 2)
        settings.set(number, to: 8)
        settings.set(number, to: 9)
        #expect(await values.next() == 9)
    }

    @Test("Streams end when their task is cancelled, waiting or not")
    func cancellation() async {
        let settings = SettingsService.over(MemoryStore())
        let stream = settings.values(of: number)
        let (started, start) = AsyncStream<Void>.makeStream()
        let waiting = Task {
            var count = 0
            for await _ in stream {
                count += 1
                start.yield()
            }
            return count
        }
        for await _ in started { break }
        waiting.cancel()
        #expect(await waiting.value == 1)
        let tasks = [
            Task { [number] in for await _ in settings.changes(of: number) {} },
            Task { for await _ in settings.changes() {} },
            Task { for await _ in settings.diagnostics {} },
            Task { [number] in for await _ in settings.values(of: number) {} },
        ]
        for task in tasks {
            task.cancel()
            await task.value
        }
    }

    @Test("A cancelled iterator stays at its end")
    func staysEnded() async {
        let settings = SettingsService.over(MemoryStore())
        let task = Task { [number] in
            var iterator = settings.changes(of: number).makeAsyncIterator()
            withUnsafeCurrentTask { $0?.cancel() }
            let first = await iterator.next()
            settings.set(number, to: 1)
            let second = await iterator.next()
            return first == nil && second == nil
        }
        #expect(await task.value)
    }
}
