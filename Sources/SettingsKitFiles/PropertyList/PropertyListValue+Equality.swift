extension PropertyListValue {
    /// Whether both values have the same case and content.
    ///
    /// Written by hand, in separate parts, because the comparison that the compiler generates takes a kilobyte of stack
    /// for every level of nesting: too much for the deepest values on the small stacks of secondary threads.
    package static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)): areEqual(left, right)
        case (.dictionary(let left), .dictionary(let right)): areEqual(left, right)
        default: areEqualScalars(left, right)
        }
    }

    @inline(never)
    private static func areEqual(_ left: [PropertyListValue], _ right: [PropertyListValue]) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    @inline(never)
    private static func areEqual(_ left: [PropertyListMember], _ right: [PropertyListMember]) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices {
            guard left[index] == right[index] else { return false }
        }
        return true
    }

    @inline(never)
    private static func areEqualScalars(_ left: PropertyListValue, _ right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)): left.isIdentical(to: right)
        case (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        default: false
        }
    }
}
