import Testing

@testable import SettingsKitCore

@Suite("The fields of a row")
struct RowMembersTests {
    @Test("A field is found by its name, and keeps its place when it is replaced", arguments: [1, 16, 17, 40])
    func names(count: Int) {
        var members = RowMembers()
        for number in 0..<count { members["field \(number)"] = ValueMember(value: number) }
        members["field 0"] = ValueMember(value: -1)
        #expect(members.names == (0..<count).map { "field \($0)" })
        for number in 0..<count {
            #expect(value(of: members["field \(number)"]) == (number == 0 ? -1 : number))
            // The place is a hint.
            for place in [number, number + 1, count] {
                #expect(value(of: members.member(named: "field \(number)", near: place)) != nil)
            }
        }
        #expect(members["another"] == nil)
    }

    @Test("Fields can be added and removed in any order")
    func changes() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var members = RowMembers()
        var expected: [(name: String, value: Int)] = []
        for number in 0..<2_000 {
            let name = "field \(Int.random(in: 0..<40, using: &random))"
            let place = expected.firstIndex { $0.name == name }
            if Bool.random(using: &random) {
                members[name] = nil
                if let place { expected.remove(at: place) }
            } else {
                members[name] = ValueMember(value: number)
                if let place { expected[place].value = number } else { expected.append((name, number)) }
            }
            #expect(members.names == expected.map(\.name), "seed \(seed)")
            #expect(members.names.map { value(of: members[$0]) } == expected.map(\.value), "seed \(seed)")
        }
    }

    private func value(of member: (any RowMember)?) -> Int? { (member as? ValueMember<Int>)?.value }
}
