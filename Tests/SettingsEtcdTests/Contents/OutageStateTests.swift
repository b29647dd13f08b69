import Testing

@testable import SettingsEtcd

@Suite("What is known of an outage")
struct OutageStateTests {
    private func reached() -> Outage {
        var outage = Outage()
        outage.start()
        return outage
    }

    @Test("An outage lasts until both parts reach the cluster, and is reported once", arguments: [true, false])
    func parts(endsWithSending: Bool) {
        var outage = reached()
        outage.begin(.timedOut, of: .following)
        let first = outage.nextUnreported()
        outage.begin(.disconnected("cut"), of: .sending)
        let second = outage.nextUnreported()
        #expect(first == .timedOut && second == nil)
        let ends = outage.end(of: endsWithSending ? .following : .sending)
        #expect(!ends && outage.cause != nil)
        let endsNow = outage.end(of: endsWithSending ? .sending : .following)
        #expect(endsNow && outage.cause == nil)
        let endsAgain = outage.end(of: .sending)
        #expect(!endsAgain)
        outage.begin(.timedOut, of: .sending)
        let other = outage.nextUnreported()
        #expect(other == .timedOut)
    }

    @Test("An outage that only the sender has noticed ends when it sends")
    func sender() {
        var outage = reached()
        let none = outage.nextUnreported()
        outage.begin(.timedOut, of: .sending)
        let cause = outage.nextUnreported()
        let ends = outage.end(of: .sending)
        #expect(none == nil && cause == .timedOut && ends && outage.cause == nil)
    }

    @Test("A cause with another code is reported, too, each code once in an outage")
    func codes() {
        var outage = reached()
        outage.begin(.timedOut, of: .following)
        let first = outage.nextUnreported()
        outage.begin(.loginRefused, of: .following)
        let second = outage.nextUnreported()
        outage.begin(.disconnected("cut"), of: .following)
        let third = outage.nextUnreported()
        #expect(first == .timedOut && second == .loginRefused && third == nil)
        let ends = outage.recordReached()
        outage.begin(.loginRefused, of: .following)
        let again = outage.nextUnreported()
        #expect(ends && again == .loginRefused)
    }

    @Test("A cluster that refuses what is sent is followed, and a new watch does not end that")
    func refusing() {
        var outage = reached()
        outage.begin(.noSpace, of: .sending)
        let cause = outage.nextUnreported()
        let ends = outage.recordReached()
        #expect(cause == .noSpace && !ends && outage.cause == .noSpace && outage.isFollowing)
        let endsNow = outage.end(of: .sending)
        #expect(endsNow && outage.cause == nil)
        outage.begin(.timedOut, of: .sending)
        #expect(!outage.isFollowing)
        _ = outage.recordReached()
        #expect(outage.isFollowing && outage.cause == nil)
    }

    @Test("Before the first attempt the cluster counts as out of reach, which is not reported if it succeeds")
    func beginning() {
        var outage = Outage()
        #expect(outage.cause != nil)
        let ends = outage.end(of: .following)
        #expect(!ends && outage.cause == nil)
    }
}
