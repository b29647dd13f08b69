// Imported into every file of the libraries. Conversions to Int and UInt that succeed where these have 64 bits, and end the
// program where they have 32, are warnings: a plain `Int(number)` takes these instead of the standard library's.

extension Int {
    @available(*, deprecated, message: "ends the program where Int has 32 bits; use init(exactly:), (clamping:) or (checked:)")
    public init(_ number: Int64) { fatalError() }
    @available(*, deprecated, message: "ends the program where Int has 32 bits; use init(exactly:), (clamping:) or (checked:)")
    public init(_ number: UInt64) { fatalError() }
    @available(*, deprecated, message: "ends the program where Int has 32 bits; use init(exactly:), (clamping:) or (checked:)")
    public init(_ number: UInt32) { fatalError() }
    @available(*, deprecated, message: "ends the program where Int has 32 bits; use Int64, or init(exactly:)")
    public init(_ number: Double) { fatalError() }
}

extension UInt {
    @available(*, deprecated, message: "ends the program where UInt has 32 bits; use init(exactly:), (clamping:) or (checked:)")
    public init(_ number: Int64) { fatalError() }
    @available(*, deprecated, message: "ends the program where UInt has 32 bits; use init(exactly:), (clamping:) or (checked:)")
    public init(_ number: UInt64) { fatalError() }
}
