import Foundation
import Testing

@testable import SettingsKitCore

/// A value whose parts must agree.
private protocol Consistent: Sendable, Equatable {
    init(_ number: UInt64)
    var isConsistent: Bool { get }
}

private struct Bytes1: Consistent {
    var a: UInt8
    init(_ number: UInt64) { a = UInt8(number & 0x7F) }
    var isConsistent: Bool { a < 0x80 }
}

private struct Bytes8: Consistent {
    var a: UInt32, b: UInt32
    init(_ number: UInt64) { (a, b) = (UInt32(truncatingIfNeeded: number), ~UInt32(truncatingIfNeeded: number)) }
    var isConsistent: Bool { a == ~b }
}

private struct Bytes9: Consistent {
    var a: UInt64, b: UInt8
    init(_ number: UInt64) { (a, b) = (number, UInt8(truncatingIfNeeded: number)) }
    var isConsistent: Bool { b == UInt8(truncatingIfNeeded: a) }
}

private struct Bytes16: Consistent {
    var a: UInt64, b: UInt64
    init(_ number: UInt64) { (a, b) = (number, ~number) }
    var isConsistent: Bool { a == ~b }
}

private struct Bytes24: Consistent {
    var a: UInt64, b: UInt64, c: UInt64
    init(_ number: UInt64) { (a, b, c) = (number, ~number, number &* 3) }
    var isConsistent: Bool { a == ~b && c == a &* 3 }
}

private struct Bytes32: Consistent {
    var a: UInt64, b: UInt64, c: UInt64, d: UInt64
    init(_ number: UInt64) { (a, b, c, d) = (number, ~number, number &* 3, number &* 5) }
    var isConsistent: Bool { a == ~b && c == a &* 3 && d == a &* 5 }
}

private struct Bytes33: Consistent {
    var whole: Bytes32, e: UInt8
    init(_ number: UInt64) { (whole, e) = (Bytes32(number), UInt8(truncatingIfNeeded: number)) }
    var isConsistent: Bool { whole.isConsistent && e == UInt8(truncatingIfNeeded: whole.a) }
}

private struct Strings: Consistent {
    var a: String, b: [String]
    init(_ number: UInt64) { (a, b) = ("a string longer than fifteen bytes \(number)", ["\(number)"]) }
    var isConsistent: Bool { a.hasSuffix(b[0]) }
}

private final class Object: Consistent {
    let a: UInt64, b: UInt64
    init(_ number: UInt64) { (a, b) = (number, ~number) }
    var isConsistent: Bool { a == ~b }
    static func == (one: Object, other: Object) -> Bool { one.a == other.a }
}

extension Optional: Consistent where Wrapped == Bytes24 {
    init(_ number: UInt64) { self = number % 2 == 0 ? nil : Bytes24(number) }
    var isConsistent: Bool { self?.isConsistent ?? true }
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
    private func readAndWrite<Value: Consistent>(_ type: Value.Type) {
        let box = Holder<Value>()
        let torn = Atomic(0)
        let writersLeft = Atomic(2)
        inParallel(4) { thread in
            if thread < 2 {
                // The first writes without a pause, so that many readings meet a writing; the second disturbs it.
                for round in 0..<(thread == 0 ? Self.rounds : Self.rounds / 10) {
                    let token = thread == 1 && round % 3 == 0 ? box.token : box.invalidate()
                    box.publish(Value(UInt64(thread * 1_000_003 + round)), token: token)
                }
                writersLeft.subtract(1, ordering: .releasing)
                return
            }
            while writersLeft.load(ordering: .acquiring) > 0 {
                if let value = box.read(), !value.isConsistent { torn.add(1, ordering: .relaxed) }
            }
        }
        #expect(torn.load(ordering: .relaxed) == 0, "\(Value.self), \(MemoryLayout<Value>.size) bytes")
        let last = Value(77)
        box.publish(last, token: box.invalidate())
        #expect(box.read() == last)
    }

    @Test("Plain values of 1 to 32 bytes are never torn")
    func plain() {
        #expect(MemoryLayout<Bytes9>.size == 9 && MemoryLayout<Bytes32>.size == 32)
        #expect(Holder<Bytes32>.isPlain && Holder<Bytes24?>.isPlain)
        readAndWrite(Bytes1.self)
        readAndWrite(Bytes8.self)
        readAndWrite(Bytes9.self)
        readAndWrite(Bytes16.self)
        readAndWrite(Bytes24.self)
        readAndWrite(Bytes24?.self)
        readAndWrite(Bytes32.self)
    }

    @Test("Larger values, strings and objects are never torn")
    func guarded() {
        #expect(MemoryLayout<Bytes33>.size == 33)
        #expect(!Holder<Bytes33>.isPlain && !Holder<Strings>.isPlain && !Holder<Object>.isPlain)
        readAndWrite(Bytes33.self)
        readAndWrite(Strings.self)
        readAndWrite(Object.self)
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
