import Testing

@testable import SettingsEtcd

@Suite("The state of an outage")
struct OutageStateTests {
    private func reached() -> Outage {
        var outage = Outage()
        _ = outage.endFollowing()
        return outage
    }

    @Test("An outage lasts until both parts reach the cluster, and is reported once", arguments: [true, false])
    func parts(endsWithSending: Bool) {
        var outage = reached()
        outage.following = .timedOut
        let first = outage.nextUnreported()
        outage.sending = .noSpace
        let second = outage.nextUnreported()
        #expect(first == .timedOut && second == nil)
        let ends = endsWithSending ? outage.endFollowing() : outage.endSending()
        #expect(!ends && outage.cause != nil)
        let endsNow = endsWithSending ? outage.endSending() : outage.endFollowing()
        #expect(endsNow && outage.cause == nil)
        let endsAgain = outage.endSending()
        #expect(!endsAgain)
        outage.sending = .timedOut
        let other = outage.nextUnreported()
        #expect(other == .timedOut)
    }

    @Test("An outage that only the sender has noticed ends when it sends")
    func sender() {
        var outage = reached()
        let none = outage.nextUnreported()
        outage.sending = .timedOut
        let cause = outage.nextUnreported()
        let ends = outage.endSending()
        #expect(none == nil && cause == .timedOut && ends && outage.cause == nil)
    }

    @Test("A cause with another code is reported, too, each code once in an outage")
    func codes() {
        var outage = reached()
        outage.following = .timedOut
        let first = outage.nextUnreported()
        outage.following = .loginRefused
        let second = outage.nextUnreported()
        outage.following = .disconnected("cut")
        let third = outage.nextUnreported()
        #expect(first == .timedOut && second == .loginRefused && third == nil)
        let ends = outage.endFollowing()
        outage.following = .loginRefused
        let again = outage.nextUnreported()
        #expect(ends && again == .loginRefused)
    }

    @Test("A cluster that refuses what is sent is followed, and a new watch does not end that")
    func refusing() {
        var outage = reached()
        outage.sending = .noSpace
        let cause = outage.nextUnreported()
        let ends = outage.endFollowing()
        #expect(cause == .noSpace && !ends && outage.cause == .noSpace && outage.isFollowing)
        let endsNow = outage.endSending()
        #expect(endsNow && outage.cause == nil)
        outage.sending = .timedOut
        #expect(!outage.isFollowing)
        _ = outage.endFollowing()
        #expect(outage.isFollowing && outage.cause == nil)
    }

    @Test("Before the first attempt the cluster counts as out of reach, which is not reported if it succeeds")
    func beginning() {
        var outage = Outage()
        #expect(outage.cause != nil)
        let ends = outage.endFollowing()
        #expect(!ends && outage.cause == nil)
    }
}
