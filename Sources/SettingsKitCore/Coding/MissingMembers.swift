/// A decoded text whose objects can be changed: JSON or a property list.
package protocol MemberTree {
    /// The members of an object; nil for any other value.
    var members: [String: Self]? { get }

    /// Creates an object.
    init(members: [String: Self])
}

/// Decodes values that lack members, because an older version of the program has stored them.
package protocol MemberFilling<Input, Output>: Transformer {
    /// Decodes a value, and takes missing members from the encoded default.
    ///
    /// - Throws: `DecodingError.keyNotFound` if the default lacks the member, too, or the error of decoding.
    func untransformValue(_ output: Output, missingMembersFrom default: Input) throws -> Input
}

extension MemberTree {
    /// Decodes the tree. While a member is missing, takes that member from the same place of `source`.
    ///
    /// Objects are never merged: that would restore members that were removed on purpose, such as the entries of a dictionary.
    ///
    /// - Parameters:
    ///   - name: Returns the decoder's spelling of the last name of a path in the tree.
    package func decode<Value>(
        missingMembersFrom source: Self, name: ([String]) -> String?, _ decode: (Self) throws -> Value
    ) throws -> Value {
        var tree = self
        while true {
            do {
                return try decode(tree)
            } catch DecodingError.keyNotFound(let key, let context) {
                let path = context.codingPath.map(\.stringValue) + [key.stringValue]
                guard let filled = tree.filled(path[...], from: source, at: [], name) else {
                    throw DecodingError.keyNotFound(key, context)
                }
                tree = filled
            }
        }
    }

    /// Returns the tree with one member of `source`; nil if `source` lacks it, or if this tree has it.
    private func filled(
        _ path: ArraySlice<String>, from source: Self, at place: [String], _ name: ([String]) -> String?
    ) -> Self? {
        guard var members, let others = source.members, let key = path.first,
            let spelled = Self.spelling(of: key, among: others.keys, at: place, name), let other = others[spelled]
        else { return nil }
        if path.count == 1 {
            guard members[spelled] == nil else { return nil }
            members[spelled] = other
        } else {
            guard
                let filled = members[spelled]?.filled(path.dropFirst(), from: other, at: place + [spelled], name)
            else { return nil }
            members[spelled] = filled
        }
        return Self(members: members)
    }

    /// Returns a tree's spelling of a coding key. A decoder with a strategy for keys does not change those of dictionaries.
    private static func spelling(
        of key: String, among names: some Collection<String>, at place: [String], _ name: ([String]) -> String?
    ) -> String? {
        let spelled = names.filter { name(place + [$0]) == key }
        if spelled.count == 1 { return spelled[0] }
        return names.contains(key) ? key : nil
    }
}

extension ChainedTransformer: MemberFilling where First: MemberFilling {
    package func untransformValue(
        _ output: Second.Output, missingMembersFrom default: First.Input
    ) throws -> First.Input {
        try first.untransformValue(second.untransformValue(output), missingMembersFrom: `default`)
    }
}

extension OptionalTransformer: MemberFilling where Base: MemberFilling {
    package func untransformValue(_ output: Base.Output, missingMembersFrom default: Base.Input?) throws -> Base.Input?
    {
        guard let `default` else { return try base.untransformValue(output) }
        return try base.untransformValue(output, missingMembersFrom: `default`)
    }
}
