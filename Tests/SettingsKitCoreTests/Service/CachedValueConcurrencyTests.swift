import Foundation
import Testing

@testable import SettingsKitCore

/// A value of two parts, which must be of one round.
private struct Parts<First: Sendable & Equatable, Last: Sendable & Equatable>: Sendable, Equatable {
    let first: First
    let last: Last

    init(_ first: First, _ last: Last) { (self.first, self.last) = (first, last) }
}

/// 16 bytes.
private typealias Words = Parts<UInt64, UInt64>

extension Words {
    init(_ round: UInt64) { self.init(round, ~round) }

    /// Whether both parts are of a round, or of any.
    func isWhole(_ round: UInt64? = nil) -> Bool { last == ~first && first == round ?? first }
}

private final class Object: Sendable, Equatable {
    let words: Words

    init(_ round: UInt64) { words = Words(round) }

    static func == (one: Object, other: Object) -> Bool { one.words == other.words }
}

/// Holds a cached value, which cannot be captured itself.
private final class Holder<Value: Sendable>: Sendable {
    private let cached = CachedValue<Value>()

    static var isPlain: Bool { CachedValue<Value>.isPlain }

    var token: UInt64 { cached.token }

    func read() -> Value? { cached.read() }

    /// Makes the value invalid.
    ///
    /// - Returns: The token of that moment.
    @discardableResult func invalidate() -> UInt64 {
        cached.invalidate()
        return cached.token
    }

    @discardableResult func publish(_ value: Value, token: UInt64) -> Value? { cached.publish(value, token: token) }
}

@Suite("A cached value (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct CachedValueConcurrencyTests {
    /// The thread sanitizer sees each unguarded access, and makes atomics that threads contend for very slow. Without it, a
    /// torn value is found by chance.
    #if SETTINGSKIT_THREAD_SANITIZER
        private static let rounds = 20_000
    #else
        private static let rounds = 200_000
    #endif

    /// Two threads write and two read: more of them than cores would mostly wait for one another.
    private func readAndWrite<Value: Sendable & Equatable>(
        isPlain: Bool, _ value: @Sendable (_ round: UInt64) -> Value, isWhole: @Sendable (Value) -> Bool
    ) {
        #expect(Holder<Value>.isPlain == isPlain)
        let box = Holder<Value>()
        let torn = Atomic(0)
        let writersLeft = Atomic(2)
        inParallel(4) { thread in
            if thread < 2 {
                // The first writes without a pause, so that many readings meet a writing; the second disturbs it.
                for round in 0..<(thread == 0 ? Self.rounds : Self.rounds / 10) {
                    let token = thread == 1 && round % 3 == 0 ? box.token : box.invalidate()
                    box.publish(value(UInt64(thread * 1_000_003 + round)), token: token)
                }
                writersLeft.subtract(1, ordering: .releasing)
                return
            }
            while writersLeft.load(ordering: .acquiring) > 0 {
                if let value = box.read(), !isWhole(value) { torn.add(1, ordering: .relaxed) }
            }
        }
        #expect(torn.load(ordering: .relaxed) == 0, "\(Value.self), \(MemoryLayout<Value>.size) bytes")
        let last = value(77)
        box.publish(last, token: box.invalidate())
        #expect(box.read() == last)
    }

    @Test("Plain values of up to 32 bytes are never torn")
    func plain() {
        readAndWrite(isPlain: true) {
            Parts($0, UInt8(truncatingIfNeeded: $0))
        } isWhole: {
            UInt8(truncatingIfNeeded: $0.first) == $0.last
        }
        readAndWrite(isPlain: true) {
            Parts(Words($0), $0)
        } isWhole: {
            $0.first.isWhole($0.last)
        }
        readAndWrite(isPlain: true) {
            $0 % 2 == 0 ? nil : Parts(Words($0), $0)
        } isWhole: {
            $0.map { $0.first.isWhole($0.last) } ?? true
        }
        readAndWrite(isPlain: true) {
            Parts(Words($0), Words($0))
        } isWhole: {
            $0.first.isWhole() && $0.last.isWhole($0.first.first)
        }
    }

    @Test("Larger values, strings and objects are never torn")
    func guarded() {
        readAndWrite(isPlain: false) {
            Parts(Parts(Words($0), Words($0)), $0)
        } isWhole: {
            $0.first.first.isWhole($0.last) && $0.first.last.isWhole($0.last)
        }
        readAndWrite(isPlain: false) {
            Parts("a string longer than fifteen bytes \($0)", ["\($0)"])
        } isWhole: {
            $0.first.hasSuffix($0.last[0])
        }
        readAndWrite(isPlain: false) {
            Object($0)
        } isWhole: {
            $0.words.isWhole()
        }
    }

    @Test("A cached value is empty until it is published, and after it was made invalid")
    func validity() {
        let (number, text) = (Holder<Int>(), Holder<String>())
        #expect(number.read() == nil && text.read() == nil)
        number.publish(1, token: number.token)
        text.publish("a", token: text.token)
        #expect(number.read() == 1 && text.read() == "a")
        number.invalidate()
        text.invalidate()
        #expect(number.read() == nil && text.read() == nil)
    }

    @Test("A value with an obsolete token is refused")
    func obsoleteToken() {
        let (number, text) = (Holder<Int>(), Holder<String>())
        let (old, oldText) = (number.token, text.token)
        number.invalidate()
        text.invalidate()
        number.publish(1, token: old)
        text.publish("a", token: oldText)
        #expect(number.read() == nil && text.read() == nil)
        number.publish(2, token: number.token)
        number.publish(3, token: number.token)
        #expect(number.read() == 2, "the token of a valid state publishes nothing")
        number.publish(4, token: old)
        #expect(number.read() == 2)
    }

    @Test("Values are released when they are replaced and when the cache goes")
    func releases() {
        weak var first: Object?
        weak var second: Object?
        do {
            let box = Holder<Object>()
            do {
                let object = Object(1)
                first = object
                box.publish(object, token: box.token)
            }
            #expect(first != nil)
            do {
                let object = Object(2)
                second = object
                box.publish(object, token: box.invalidate())
            }
            #expect(first == nil && second != nil)
        }
        #expect(second == nil)
    }
}
