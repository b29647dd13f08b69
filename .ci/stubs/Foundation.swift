// The declarations of Apple's Foundation that this package uses, with their availability: enough to check code for Apple
// platforms where there is no Apple SDK. Nothing here does anything. Types that Core Foundation bridges to are aliases.
@_exported import Darwin
@_exported import Dispatch
@_exported import ObjectiveC

public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
public protocol ContiguousBytes { func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R }
extension Array: ContiguousBytes where Element == UInt8 {}
extension Array: DataProtocol where Element == UInt8 {}
extension ArraySlice: DataProtocol where Element == UInt8 {}

public struct Data: Hashable, Sendable, Codable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection, DataProtocol, ContiguousBytes {
    public typealias Index = Int
    public struct ReadingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let mappedIfSafe = ReadingOptions(rawValue: 1)
        public static let alwaysMapped = ReadingOptions(rawValue: 8)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let atomic = WritingOptions(rawValue: 1)
        public static let withoutOverwriting = WritingOptions(rawValue: 2)
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let ignoreUnknownCharacters = Base64DecodingOptions(rawValue: 1)
    }
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
    }
    public init() { fatalError() }
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 { fatalError() }
    public init(repeating repeatedValue: UInt8, count: Int) { fatalError() }
    public init(count: Int) { fatalError() }
    public init(capacity: Int) { fatalError() }
    public init(bytes: UnsafeRawPointer, count: Int) { fatalError() }
    public init<T>(buffer: UnsafeBufferPointer<T>) { fatalError() }
    public init<T>(buffer: UnsafeMutableBufferPointer<T>) { fatalError() }
    public init(contentsOf url: URL, options: ReadingOptions = []) throws { fatalError() }
    public init?(base64Encoded string: String, options: Base64DecodingOptions = []) { fatalError() }
    public init?(base64Encoded data: Data, options: Base64DecodingOptions = []) { fatalError() }
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { fatalError() }
    public func base64EncodedData(options: Base64EncodingOptions = []) -> Data { fatalError() }
    public func write(to url: URL, options: WritingOptions = []) throws { fatalError() }
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public var count: Int { get { fatalError() } set {} }
    public subscript(position: Int) -> UInt8 { get { fatalError() } set { fatalError() } }
    public subscript(bounds: Range<Int>) -> Data { get { fatalError() } set { fatalError() } }
    public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == UInt8 { fatalError() }
    public mutating func append(_ other: Data) { fatalError() }
    public mutating func append<T>(_ buffer: UnsafeBufferPointer<T>) { fatalError() }
    public func subdata(in range: Range<Int>) -> Data { fatalError() }
    public func range(of data: Data, in range: Range<Int>? = nil) -> Range<Int>? { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public typealias TimeInterval = Double
public struct Date: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public init() { fatalError() }
    public init(timeIntervalSince1970: TimeInterval) { fatalError() }
    public init(timeIntervalSinceReferenceDate: TimeInterval) { fatalError() }
    public init(timeIntervalSinceNow: TimeInterval) { fatalError() }
    public init(timeInterval: TimeInterval, since date: Date) { fatalError() }
    public static var now: Date { fatalError() }
    public static let distantPast = Date()
    public static let distantFuture = Date()
    public static let timeIntervalBetween1970AndReferenceDate: TimeInterval = 978_307_200
    public static func < (a: Date, b: Date) -> Bool { fatalError() }
    public static func + (a: Date, b: TimeInterval) -> Date { fatalError() }
    public static func - (a: Date, b: TimeInterval) -> Date { fatalError() }
    public var timeIntervalSince1970: TimeInterval { fatalError() }
    public var timeIntervalSinceReferenceDate: TimeInterval { fatalError() }
    public var timeIntervalSinceNow: TimeInterval { fatalError() }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { fatalError() }
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { fatalError() }
    public var description: String { fatalError() }
    public struct ISO8601FormatStyle: Sendable, FormatStyle, ParseStrategy {
        public init(includingFractionalSeconds: Bool = false) { fatalError() }
        public func format(_ date: Date) -> String { fatalError() }
        public func parse(_ text: String) throws -> Date { fatalError() }
    }
    public func formatted<S: FormatStyle>(_ style: S) -> S.FormatOutput where S.FormatInput == Date { fatalError() }
    public init<S: ParseStrategy>(_ text: String, strategy: S) throws where S.ParseInput == String, S.ParseOutput == Date { fatalError() }
}
public protocol FormatStyle<FormatInput, FormatOutput> { associatedtype FormatInput; associatedtype FormatOutput }
public protocol ParseStrategy<ParseInput, ParseOutput> { associatedtype ParseInput; associatedtype ParseOutput }
public protocol ParseableFormatStyle<FormatInput, FormatOutput>: FormatStyle {}
extension Date.ISO8601FormatStyle {
    public typealias FormatInput = Date
    public typealias FormatOutput = String
    public typealias ParseInput = String
    public typealias ParseOutput = Date
}
extension FormatStyle where Self == Date.ISO8601FormatStyle { public static var iso8601: Date.ISO8601FormatStyle { fatalError() } }
extension ParseStrategy where Self == Date.ISO8601FormatStyle { public static var iso8601: Date.ISO8601FormatStyle { fatalError() } }

public enum NumberFormatStyleConfiguration {
    public struct Precision: Sendable {
        public static func fractionLength(_ length: Int) -> Precision { fatalError() }
        public static func fractionLength<R: RangeExpression>(_ limits: R) -> Precision where R.Bound == Int { fatalError() }
        public static func significantDigits(_ digits: Int) -> Precision { fatalError() }
        public static func significantDigits<R: RangeExpression>(_ limits: R) -> Precision where R.Bound == Int { fatalError() }
    }
    public struct Grouping: Sendable { public static var never: Grouping { fatalError() } }
}
public struct FloatingPointFormatStyle<Value: BinaryFloatingPoint>: FormatStyle, Sendable {
    public typealias FormatInput = Value
    public typealias FormatOutput = String
    public func precision(_ precision: NumberFormatStyleConfiguration.Precision) -> Self { fatalError() }
    public func grouping(_ grouping: NumberFormatStyleConfiguration.Grouping) -> Self { fatalError() }
    public func locale(_ locale: Locale) -> Self { fatalError() }
}
extension FormatStyle where Self == FloatingPointFormatStyle<Double> { public static var number: Self { fatalError() } }
extension BinaryFloatingPoint {
    public func formatted<S: FormatStyle>(_ style: S) -> S.FormatOutput where S.FormatInput == Self { fatalError() }
}

public struct UUID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public typealias Bytes = (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)
    public init() { fatalError() }
    public init?(uuidString: String) { fatalError() }
    public init(uuid: Bytes) { fatalError() }
    public var uuid: Bytes { fatalError() }
    public var uuidString: String { fatalError() }
    public var description: String { fatalError() }
    public static func < (a: UUID, b: UUID) -> Bool { fatalError() }
    public static func == (a: UUID, b: UUID) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
    public init(from decoder: any Decoder) throws { fatalError() }
    public func encode(to encoder: any Encoder) throws { fatalError() }
}

public struct URL: Hashable, Sendable, Codable, CustomStringConvertible {
    public enum DirectoryHint: Sendable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
    public init?(string: String) { fatalError() }
    public init?(string: String, relativeTo base: URL?) { fatalError() }
    public init(fileURLWithPath: String) { fatalError() }
    public init(fileURLWithPath: String, isDirectory: Bool) { fatalError() }
    public init(filePath: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) { fatalError() }
    public static func currentDirectory() -> URL { fatalError() }
    public static var temporaryDirectory: URL { fatalError() }
    public static var homeDirectory: URL { fatalError() }
    public static var libraryDirectory: URL { fatalError() }
    public static var documentsDirectory: URL { fatalError() }
    public static var applicationSupportDirectory: URL { fatalError() }
    public var path: String { fatalError() }
    public func path(percentEncoded: Bool = true) -> String { fatalError() }
    public var absoluteString: String { fatalError() }
    public var absoluteURL: URL { fatalError() }
    public var relativePath: String { fatalError() }
    public var scheme: String? { fatalError() }
    public var host: String? { fatalError() }
    public var port: Int? { fatalError() }
    public func host(percentEncoded: Bool = true) -> String? { fatalError() }
    public var isFileURL: Bool { fatalError() }
    public var hasDirectoryPath: Bool { fatalError() }
    public var lastPathComponent: String { fatalError() }
    public var pathExtension: String { fatalError() }
    public var pathComponents: [String] { fatalError() }
    public var standardizedFileURL: URL { fatalError() }
    public var standardized: URL { fatalError() }
    public func resolvingSymlinksInPath() -> URL { fatalError() }
    public func deletingLastPathComponent() -> URL { fatalError() }
    public func deletingPathExtension() -> URL { fatalError() }
    public func appendingPathComponent(_ component: String) -> URL { fatalError() }
    public func appendingPathComponent(_ component: String, isDirectory: Bool) -> URL { fatalError() }
    public func appendingPathExtension(_ component: String) -> URL { fatalError() }
    public func appending(path: String, directoryHint: DirectoryHint = .inferFromPath) -> URL { fatalError() }
    public func appending(component: String, directoryHint: DirectoryHint = .inferFromPath) -> URL { fatalError() }
    public func appending(components: String..., directoryHint: DirectoryHint = .inferFromPath) -> URL { fatalError() }
    public mutating func append(path: String) { fatalError() }
    public func withUnsafeFileSystemRepresentation<R>(_ body: (UnsafePointer<Int8>?) throws -> R) rethrows -> R { fatalError() }
    public func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues { fatalError() }
    public var description: String { fatalError() }
}
public struct URLResourceKey: Hashable, Sendable {
    public static let ubiquitousItemDownloadingStatusKey = URLResourceKey()
    @available(macOS 13.3, iOS 16.4, tvOS 16.4, watchOS 9.4, visionOS 1.0, *) public static let volumeTypeNameKey = URLResourceKey()
    public static let isRegularFileKey = URLResourceKey()
}
public struct URLUbiquitousItemDownloadingStatus: Hashable, Sendable {
    public static let current = URLUbiquitousItemDownloadingStatus()
    public static let downloaded = URLUbiquitousItemDownloadingStatus()
    public static let notDownloaded = URLUbiquitousItemDownloadingStatus()
}
public struct URLResourceValues {
    public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? { fatalError() }
    @available(macOS 13.3, iOS 16.4, tvOS 16.4, watchOS 9.4, visionOS 1.0, *) public var volumeTypeName: String? { fatalError() }
    public var isRegularFile: Bool? { fatalError() }
}

open class JSONEncoder {
    public struct OutputFormatting: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        public static let sortedKeys = OutputFormatting(rawValue: 2)
        public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
    }
    public enum DateEncodingStrategy: Sendable { case deferredToDate, secondsSince1970, millisecondsSince1970, iso8601, custom(@Sendable (Date, any Encoder) throws -> Void) }
    public enum NonConformingFloatEncodingStrategy: Sendable {
        case `throw`
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    public init() { fatalError() }
    open var outputFormatting: OutputFormatting { get { fatalError() } set {} }
    open var dateEncodingStrategy: DateEncodingStrategy { get { fatalError() } set {} }
    open var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy { get { fatalError() } set {} }
    public enum KeyEncodingStrategy: Sendable { case useDefaultKeys, convertToSnakeCase, custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey) }
    open var keyEncodingStrategy: KeyEncodingStrategy { get { fatalError() } set {} }
    open var userInfo: [CodingUserInfoKey: Any] { get { fatalError() } set {} }
    open func encode<T: Encodable>(_ value: T) throws -> Data { fatalError() }
}
extension JSONEncoder: @unchecked Sendable {}
open class JSONDecoder {
    public enum DateDecodingStrategy: Sendable { case deferredToDate, secondsSince1970, millisecondsSince1970, iso8601, custom(@Sendable (any Decoder) throws -> Date) }
    public enum NonConformingFloatDecodingStrategy: Sendable {
        case `throw`
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    public init() { fatalError() }
    public enum KeyDecodingStrategy: Sendable { case useDefaultKeys, convertFromSnakeCase, custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey) }
    open var dateDecodingStrategy: DateDecodingStrategy { get { fatalError() } set {} }
    open var keyDecodingStrategy: KeyDecodingStrategy { get { fatalError() } set {} }
    open var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy { get { fatalError() } set {} }
    open var userInfo: [CodingUserInfoKey: Any] { get { fatalError() } set {} }
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}
extension JSONDecoder: @unchecked Sendable {}
open class PropertyListSerialization: NSObject {
    public enum PropertyListFormat: UInt, Sendable { case openStep = 1, xml = 100, binary = 200 }
    public struct MutabilityOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
    }
    open class func propertyList(from data: Data, options: MutabilityOptions = [], format: UnsafeMutablePointer<PropertyListFormat>?) throws -> Any { fatalError() }
    open class func data(fromPropertyList plist: Any, format: PropertyListFormat, options: Int) throws -> Data { fatalError() }
}
extension PropertyListDecoder { public typealias PropertyListFormat = PropertyListSerialization.PropertyListFormat }
extension PropertyListEncoder: @unchecked Sendable {}
extension PropertyListDecoder: @unchecked Sendable {}
open class PropertyListEncoder {
    public init() { fatalError() }
    open var outputFormat: PropertyListSerialization.PropertyListFormat { get { fatalError() } set {} }
    open func encode<T: Encodable>(_ value: T) throws -> Data { fatalError() }
}
open class PropertyListDecoder {
    public init() { fatalError() }
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}
open class JSONSerialization: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let fragmentsAllowed = ReadingOptions(rawValue: 4)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let fragmentsAllowed = WritingOptions(rawValue: 4)
        public static let sortedKeys = WritingOptions(rawValue: 2)
    }
    open class func jsonObject(with data: Data, options: ReadingOptions = []) throws -> Any { fatalError() }
    open class func data(withJSONObject object: Any, options: WritingOptions = []) throws -> Data { fatalError() }
}

open class NSNumber: NSObject, @unchecked Sendable {
    public init(value: Int) { fatalError() }
    public init(value: Int32) { fatalError() }
    public init(value: UInt8) { fatalError() }
    public init(value: Int8) { fatalError() }
    public init(value: Int64) { fatalError() }
    public init(value: UInt64) { fatalError() }
    public init(value: Double) { fatalError() }
    public init(value: Float) { fatalError() }
    public init(value: Bool) { fatalError() }
    open var objCType: UnsafePointer<CChar> { fatalError() }
    open var boolValue: Bool { fatalError() }
    open var intValue: Int { fatalError() }
    open var int64Value: Int64 { fatalError() }
    open var uint64Value: UInt64 { fatalError() }
    open var doubleValue: Double { fatalError() }
    open func compare(_ other: NSNumber) -> ComparisonResult { fatalError() }
}
public enum ComparisonResult: Int, Sendable { case orderedAscending = -1, orderedSame, orderedDescending }
open class NSError: NSObject, Error, @unchecked Sendable {
    public init(domain: String, code: Int, userInfo: [String: Any]? = nil) { fatalError() }
    open var domain: String { fatalError() }
    open var code: Int { fatalError() }
    open var localizedDescription: String { fatalError() }
}
public let NSPOSIXErrorDomain: String = ""
public let NSCocoaErrorDomain: String = ""
public protocol LocalizedError: Error { var errorDescription: String? { get } }
extension LocalizedError { public var errorDescription: String? { nil } }
extension Error { public var localizedDescription: String { fatalError() } }
public struct CocoaError: Error, Hashable {
    public struct Code: Hashable, Sendable {
        public static var featureUnsupported: Code { fatalError() }
        public static var fileNoSuchFile: Code { fatalError() }
        public static var fileReadNoSuchFile: Code { fatalError() }
        public static var fileWriteUnknown: Code { fatalError() }
        public static var fileReadCorruptFile: Code { fatalError() }
        public static var fileWriteNoPermission: Code { fatalError() }
        public static var fileWriteOutOfSpace: Code { fatalError() }
        public static var coderInvalidValue: Code { fatalError() }
        public static var fileWriteFileExists: Code { fatalError() }
        public static var formatting: Code { fatalError() }
    }
    public static var fileReadNoSuchFile: Code { fatalError() }
    public init(_ code: Code) { fatalError() }
    public var code: Code { fatalError() }
}
public struct POSIXError: Error, Hashable {
    public typealias Code = POSIXErrorCode
    public init(_ code: Code) { fatalError() }
    public var code: Code { fatalError() }
    public static var ENOSPC: Code { fatalError() }
    public static var EIO: Code { fatalError() }
}
public struct Decimal: Hashable, Comparable, Sendable, Codable, SignedNumeric, CustomStringConvertible {
    public init() { fatalError() }
    public init?(string: String, locale: Locale? = nil) { fatalError() }
    public init(_ value: Double) { fatalError() }
    public init(_ value: Int) { fatalError() }
    public init?<T: BinaryInteger>(exactly source: T) { fatalError() }
    public init(sign: FloatingPointSign, exponent: Int, significand: Decimal) { fatalError() }
    public init(integerLiteral value: Int) { fatalError() }
    public init(floatLiteral value: Double) { fatalError() }
    public var magnitude: Decimal { fatalError() }
    public var isFinite: Bool { fatalError() }
    public var isNaN: Bool { fatalError() }
    public static func < (a: Decimal, b: Decimal) -> Bool { fatalError() }
    public static func + (a: Decimal, b: Decimal) -> Decimal { fatalError() }
    public static func - (a: Decimal, b: Decimal) -> Decimal { fatalError() }
    public static func * (a: Decimal, b: Decimal) -> Decimal { fatalError() }
    public static func *= (a: inout Decimal, b: Decimal) { fatalError() }
    public var description: String { fatalError() }
}
extension Decimal: ExpressibleByFloatLiteral {
    public struct FormatStyle: ParseableFormatStyle, Sendable {
        public typealias FormatInput = Decimal
        public typealias FormatOutput = String
        public func precision(_ precision: NumberFormatStyleConfiguration.Precision) -> Self { fatalError() }
        public func grouping(_ grouping: NumberFormatStyleConfiguration.Grouping) -> Self { fatalError() }
    }
}
extension FormatStyle where Self == Decimal.FormatStyle { public static var number: Self { fatalError() } }
public struct Locale: Hashable, Sendable {
    public init(identifier: String) { fatalError() }
    public static var current: Locale { fatalError() }
}
public struct CharacterSet: Sendable, Hashable {
    public init(charactersIn: String) { fatalError() }
    public static var whitespaces: CharacterSet { fatalError() }
    public static var whitespacesAndNewlines: CharacterSet { fatalError() }
    public static var alphanumerics: CharacterSet { fatalError() }
    public static var newlines: CharacterSet { fatalError() }
}
public protocol CVarArgs {}
extension String {
    public struct Encoding: Hashable, Sendable {
        public static let utf8 = Encoding()
        public static let ascii = Encoding()
        public static let utf16 = Encoding()
        public static let utf16LittleEndian = Encoding()
        public static let utf16BigEndian = Encoding()
        public static let utf32 = Encoding()
        public static let isoLatin1 = Encoding()
    }
    public struct CompareOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let regularExpression = CompareOptions(rawValue: 1024)
        public static let backwards = CompareOptions(rawValue: 4)
        public static let literal = CompareOptions(rawValue: 2)
    }
    public init(format: String, _ arguments: any CVarArg...) { fatalError() }
    public init?(data: Data, encoding: Encoding) { fatalError() }
    public init(contentsOf url: URL, encoding: Encoding) throws { fatalError() }
    public init(contentsOfFile path: String, encoding: Encoding) throws { fatalError() }
}
extension StringProtocol {
    public func addingPercentEncoding(withAllowedCharacters set: CharacterSet) -> String? { fatalError() }
    public func padding(toLength length: Int, withPad pad: String, startingAt index: Int) -> String { fatalError() }
    public func components(separatedBy separator: String) -> [String] { fatalError() }
    public func components(separatedBy set: CharacterSet) -> [String] { fatalError() }
    public func trimmingCharacters(in set: CharacterSet) -> String { fatalError() }
    public func replacingOccurrences(of target: String, with replacement: String, options: String.CompareOptions = [], range: Range<String.Index>? = nil) -> String { fatalError() }
    public func range(of string: String, options: String.CompareOptions = [], range: Range<String.Index>? = nil, locale: Locale? = nil) -> Range<String.Index>? { fatalError() }
    public func localizedStandardContains<T: StringProtocol>(_ string: T) -> Bool { fatalError() }
    public func data(using encoding: String.Encoding, allowLossyConversion: Bool = false) -> Data? { fatalError() }
    public func write(to url: URL, atomically: Bool, encoding: String.Encoding) throws { fatalError() }
    public func write(toFile path: String, atomically: Bool, encoding: String.Encoding) throws { fatalError() }
    public var precomposedStringWithCanonicalMapping: String { fatalError() }
    public var decomposedStringWithCanonicalMapping: String { fatalError() }
    public var capitalized: String { fatalError() }
    public var localizedCapitalized: String { fatalError() }
}

open class NSLock: NSObject, @unchecked Sendable {
    public override init() { fatalError() }
    open func lock() { fatalError() }
    open func unlock() { fatalError() }
    public func withLock<R>(_ body: () throws -> R) rethrows -> R { fatalError() }
}
public typealias NSString = String
extension String {
    public init(string: String) { fatalError() }
    public var expandingTildeInPath: String { fatalError() }
    public var deletingLastPathComponent: String { fatalError() }
    public var lastPathComponent: String { fatalError() }
}
open class NSURL: NSObject, @unchecked Sendable {
    open var absoluteURL: URL? { fatalError() }
}
open class NSKeyedArchiver: NSObject {
    open class func archivedData(withRootObject object: Any, requiringSecureCoding isSecure: Bool) throws -> Data { fatalError() }
}
open class NSKeyedUnarchiver: NSObject {
    public static func unarchivedObject<T: NSObject>(ofClass type: T.Type, from data: Data) throws -> T? { fatalError() }
}
open class NSDictionary: NSObject { open var count: Int { fatalError() }; open subscript(key: Any) -> Any? { fatalError() }
    public init(dictionary: [AnyHashable: Any]) { fatalError() }
    public init?(contentsOf url: URL) { fatalError() }
    open func isEqual(to other: [AnyHashable: Any]) -> Bool { fatalError() }
}
open class Thread: NSObject {
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { fatalError() }
    open class func sleep(forTimeInterval interval: TimeInterval) { fatalError() }
    open class var isMainThread: Bool { fatalError() }
    open class var current: Thread { fatalError() }
    public convenience init(block: @escaping @Sendable () -> Void) { fatalError() }
    open func start() { fatalError() }
    open var stackSize: Int { get { fatalError() } set {} }
}
open class RunLoop: NSObject {
    open class var current: RunLoop { fatalError() }
    open func run(until date: Date) { fatalError() }
}
open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var environment: [String: String] { fatalError() }
    open var arguments: [String] { fatalError() }
    open var processIdentifier: Int32 { fatalError() }
    open var processName: String { fatalError() }
    open var hostName: String { fatalError() }
    open var activeProcessorCount: Int { fatalError() }
    open var systemUptime: TimeInterval { fatalError() }
    open var operatingSystemVersionString: String { fatalError() }
    @available(macOS, unavailable)
    open func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) { fatalError() }
}
open class NSFileCoordinator: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let withoutChanges = ReadingOptions(rawValue: 1)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let forReplacing = WritingOptions(rawValue: 8)
    }
    public init(filePresenter: (any NSObjectProtocol)?) { fatalError() }
    open func coordinate(readingItemAt url: URL, options: ReadingOptions = [], error: UnsafeMutablePointer<NSError?>?, byAccessor reader: (URL) -> Void) { fatalError() }
    open func coordinate(writingItemAt url: URL, options: WritingOptions = [], error: UnsafeMutablePointer<NSError?>?, byAccessor writer: (URL) -> Void) { fatalError() }
}
public enum FileAttributeKeys {}
public struct FileAttributeKey: Hashable, Sendable {
    public static let posixPermissions = FileAttributeKey()
    public static let size = FileAttributeKey()
    public static let modificationDate = FileAttributeKey()
    public static let type = FileAttributeKey()
    public static let systemFileNumber = FileAttributeKey()
    public static let protectionKey = FileAttributeKey()
}
public struct FileProtectionType: Hashable, Sendable {}
public struct FileAttributeType: Hashable, Sendable {
    public static let typeRegular = FileAttributeType()
    public static let typeDirectory = FileAttributeType()
    public static let typeSymbolicLink = FileAttributeType()
}
open class FileManager: NSObject, @unchecked Sendable {
    public enum SearchPathDirectory: UInt, Sendable { case libraryDirectory, documentDirectory, applicationSupportDirectory, cachesDirectory, itemReplacementDirectory }
    public struct SearchPathDomainMask: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let userDomainMask = SearchPathDomainMask(rawValue: 1)
        public static let localDomainMask = SearchPathDomainMask(rawValue: 2)
    }
    public struct DirectoryEnumerationOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let skipsHiddenFiles = DirectoryEnumerationOptions(rawValue: 4)
    }
    public struct DirectoryEnumerator: Sequence, IteratorProtocol {
        public mutating func next() -> Any? { fatalError() }
    }
    open class var `default`: FileManager { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
    open var homeDirectoryForCurrentUser: URL { fatalError() }
    open var currentDirectoryPath: String { fatalError() }
    open func urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] { fatalError() }
    open func url(for directory: SearchPathDirectory, in domain: SearchPathDomainMask, appropriateFor url: URL?, create: Bool) throws -> URL { fatalError() }
    open func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { fatalError() }
    open func url(forUbiquityContainerIdentifier identifier: String?) -> URL? { fatalError() }
    open func isUbiquitousItem(at url: URL) -> Bool { fatalError() }
    open func startDownloadingUbiquitousItem(at url: URL) throws { fatalError() }
    @discardableResult open func createFile(atPath path: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil) -> Bool { fatalError() }
    open func createDirectory(at url: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil) throws { fatalError() }
    open func createDirectory(atPath path: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil) throws { fatalError() }
    open func createSymbolicLink(at url: URL, withDestinationURL: URL) throws { fatalError() }
    open func createSymbolicLink(atPath path: String, withDestinationPath: String) throws { fatalError() }
    open func destinationOfSymbolicLink(atPath path: String) throws -> String { fatalError() }
    open func removeItem(at url: URL) throws { fatalError() }
    open func removeItem(atPath path: String) throws { fatalError() }
    open func moveItem(at url: URL, to other: URL) throws { fatalError() }
    open func moveItem(atPath path: String, toPath other: String) throws { fatalError() }
    open func copyItem(at url: URL, to other: URL) throws { fatalError() }
    open func copyItem(atPath path: String, toPath other: String) throws { fatalError() }
    open func linkItem(at url: URL, to other: URL) throws { fatalError() }
    open func linkItem(atPath path: String, toPath other: String) throws { fatalError() }
    open func fileExists(atPath path: String) -> Bool { fatalError() }
    open func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { fatalError() }
    open func isExecutableFile(atPath path: String) -> Bool { fatalError() }
    open func isReadableFile(atPath path: String) -> Bool { fatalError() }
    open func contents(atPath path: String) -> Data? { fatalError() }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func contentsOfDirectory(at url: URL, includingPropertiesForKeys: [URLResourceKey]?, options: DirectoryEnumerationOptions = []) throws -> [URL] { fatalError() }
    open func subpathsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func enumerator(atPath path: String) -> DirectoryEnumerator? { fatalError() }
    open func enumerator(at url: URL, includingPropertiesForKeys: [URLResourceKey]?, options: DirectoryEnumerationOptions = []) -> DirectoryEnumerator? { fatalError() }
    open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { fatalError() }
    open func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws { fatalError() }
    open func replaceItemAt(_ url: URL, withItemAt other: URL) throws -> URL? { fatalError() }
    open func contentsEqual(atPath path: String, andPath other: String) -> Bool { fatalError() }
    open func changeCurrentDirectoryPath(_ path: String) -> Bool { fatalError() }
}
public func NSHomeDirectory() -> String { fatalError() }
public func NSTemporaryDirectory() -> String { fatalError() }
open class FileHandle: NSObject, @unchecked Sendable {
    open class var nullDevice: FileHandle { fatalError() }
    open class var standardInput: FileHandle { fatalError() }
    open class var standardOutput: FileHandle { fatalError() }
    open class var standardError: FileHandle { fatalError() }
    public convenience init(forReadingFrom url: URL) throws { fatalError() }
    public convenience init(forWritingTo url: URL) throws { fatalError() }
    public convenience init(forUpdating url: URL) throws { fatalError() }
    public convenience init?(forReadingAtPath path: String) { fatalError() }
    public convenience init?(forWritingAtPath path: String) { fatalError() }
    public convenience init(fileDescriptor: Int32, closeOnDealloc: Bool) { fatalError() }
    open var fileDescriptor: Int32 { fatalError() }
    open var availableData: Data { fatalError() }
    open var readabilityHandler: (@Sendable (FileHandle) -> Void)? { get { fatalError() } set {} }
    open func readDataToEndOfFile() -> Data { fatalError() }
    open func readData(ofLength length: Int) -> Data { fatalError() }
    public func readToEnd() throws -> Data? { fatalError() }
    public func read(upToCount count: Int) throws -> Data? { fatalError() }
    open func write(_ data: Data) { fatalError() }
    public func write<T: DataProtocol>(contentsOf data: T) throws { fatalError() }
    @discardableResult public func seekToEnd() throws -> UInt64 { fatalError() }
    public func seek(toOffset offset: UInt64) throws { fatalError() }
    public func truncate(atOffset offset: UInt64) throws { fatalError() }
    public func synchronize() throws { fatalError() }
    open func closeFile() { fatalError() }
    public func close() throws { fatalError() }
}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
open class Process: NSObject, @unchecked Sendable {
    public enum TerminationReason: Int, Sendable { case exit = 1, uncaughtSignal }
    public override init() { fatalError() }
    open class func run(_ url: URL, arguments: [String], terminationHandler: (@Sendable (Process) -> Void)? = nil) throws -> Process { fatalError() }
    open var executableURL: URL? { get { fatalError() } set {} }
    open var currentDirectoryURL: URL? { get { fatalError() } set {} }
    open var arguments: [String]? { get { fatalError() } set {} }
    open var environment: [String: String]? { get { fatalError() } set {} }
    open var standardInput: Any? { get { fatalError() } set {} }
    open var standardOutput: Any? { get { fatalError() } set {} }
    open var standardError: Any? { get { fatalError() } set {} }
    open var terminationHandler: (@Sendable (Process) -> Void)? { get { fatalError() } set {} }
    open var terminationStatus: Int32 { fatalError() }
    open var terminationReason: TerminationReason { fatalError() }
    open var processIdentifier: Int32 { fatalError() }
    open var isRunning: Bool { fatalError() }
    open func run() throws { fatalError() }
    open func terminate() { fatalError() }
    open func interrupt() { fatalError() }
    open func waitUntilExit() { fatalError() }
}
open class Pipe: NSObject, @unchecked Sendable {
    public override init() { fatalError() }
    open var fileHandleForReading: FileHandle { fatalError() }
    open var fileHandleForWriting: FileHandle { fatalError() }
}
open class Bundle: NSObject, @unchecked Sendable {
    /// SwiftPM generates this.
    open class var module: Bundle { fatalError() }
    open class var main: Bundle { fatalError() }
    open class var allBundles: [Bundle] { fatalError() }
    public init(for type: AnyClass) { fatalError() }
    open var bundleIdentifier: String? { fatalError() }
    open var bundleURL: URL { fatalError() }
    open var bundlePath: String { fatalError() }
    open var executableURL: URL? { fatalError() }
    open var infoDictionary: [String: Any]? { fatalError() }
    open func url(forResource name: String?, withExtension ext: String?) -> URL? { fatalError() }
    open func localizedString(forKey key: String, value: String?, table tableName: String?) -> String { fatalError() }
    open func object(forInfoDictionaryKey key: String) -> Any? { fatalError() }
}

public struct Notification: Sendable {
    public struct Name: Hashable, Sendable {
        public init(_ name: String) { fatalError() }
        public var rawValue: String { fatalError() }
    }
    public var name: Name { fatalError() }
    public var object: Any? { fatalError() }
    public var userInfo: [AnyHashable: Any]? { fatalError() }
}
public typealias NSNotification = Notification
open class OperationQueue: NSObject, @unchecked Sendable { open class var main: OperationQueue { fatalError() } }
open class NotificationCenter: NSObject, @unchecked Sendable {
    public override init() { fatalError() }
    open class var `default`: NotificationCenter { fatalError() }
    open func addObserver(forName name: Notification.Name?, object: Any?, queue: OperationQueue?, using block: @escaping @Sendable (Notification) -> Void) -> any NSObjectProtocol { fatalError() }
    open func removeObserver(_ observer: Any) { fatalError() }
    open func post(name: Notification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil) { fatalError() }
}
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public var rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}
extension NSObject {
    open func addObserver(_ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?) { fatalError() }
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) { fatalError() }
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?) { fatalError() }
}
open class UserDefaults: NSObject {
    open class var standard: UserDefaults { fatalError() }
    open class var didChangeNotification: Notification.Name { fatalError() }
    public static let globalDomain: String = ""
    public static let argumentDomain: String = ""
    public static let registrationDomain: String = ""
    public override init() { fatalError() }
    public init?(suiteName: String?) { fatalError() }
    open func object(forKey key: String) -> Any? { fatalError() }
    open func data(forKey key: String) -> Data? { fatalError() }
    open func string(forKey key: String) -> String? { fatalError() }
    open func stringArray(forKey key: String) -> [String]? { fatalError() }
    open func integer(forKey key: String) -> Int { fatalError() }
    open func bool(forKey key: String) -> Bool { fatalError() }
    open func double(forKey key: String) -> Double { fatalError() }
    open func set(_ value: Any?, forKey key: String) { fatalError() }
    open func set(_ value: Int, forKey key: String) { fatalError() }
    open func set(_ value: Bool, forKey key: String) { fatalError() }
    open func set(_ value: Double, forKey key: String) { fatalError() }
    open func removeObject(forKey key: String) { fatalError() }
    open func dictionaryRepresentation() -> [String: Any] { fatalError() }
    open func persistentDomain(forName name: String) -> [String: Any]? { fatalError() }
    open func removePersistentDomain(forName name: String) { fatalError() }
    open func setPersistentDomain(_ domain: [String: Any], forName name: String) { fatalError() }
    open func register(defaults: [String: Any]) { fatalError() }
    open func objectIsForced(forKey key: String) -> Bool { fatalError() }
    open func addSuite(named name: String) { fatalError() }
    @discardableResult open func synchronize() -> Bool { fatalError() }
}
@available(watchOS 9.0, *)
open class NSUbiquitousKeyValueStore: NSObject {
    open class var `default`: NSUbiquitousKeyValueStore { fatalError() }
    open class var didChangeExternallyNotification: Notification.Name { fatalError() }
    open func object(forKey key: String) -> Any? { fatalError() }
    open func data(forKey key: String) -> Data? { fatalError() }
    open func set(_ object: Any?, forKey key: String) { fatalError() }
    open func set(_ data: Data?, forKey key: String) { fatalError() }
    open func removeObject(forKey key: String) { fatalError() }
    open var dictionaryRepresentation: [String: Any] { fatalError() }
    @discardableResult open func synchronize() -> Bool { fatalError() }
}
public let NSUbiquitousKeyValueStoreChangedKeysKey: String = ""
public let NSUbiquitousKeyValueStoreChangeReasonKey: String = ""
public var NSUbiquitousKeyValueStoreServerChange: Int { 0 }
public var NSUbiquitousKeyValueStoreInitialSyncChange: Int { 1 }
public var NSUbiquitousKeyValueStoreQuotaViolationChange: Int { 2 }
public var NSUbiquitousKeyValueStoreAccountChange: Int { 3 }

public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias CFString = String
public typealias CFData = Data
public typealias CFArray = [Any]
public typealias CFDictionary = [AnyHashable: Any]
public func CFGetTypeID(_ object: CFTypeRef?) -> CFTypeID { fatalError() }
public func CFBooleanGetTypeID() -> CFTypeID { fatalError() }

open class URLResponse: NSObject, @unchecked Sendable {}
open class HTTPURLResponse: URLResponse, @unchecked Sendable { open var statusCode: Int { fatalError() } }
public struct URLError: Error {
    public struct Code: Hashable, Sendable {
        public static var cannotConnectToHost: Code { fatalError() }
        public static var cannotFindHost: Code { fatalError() }
        public static var dnsLookupFailed: Code { fatalError() }
        public static var notConnectedToInternet: Code { fatalError() }
        public static var cancelled: Code { fatalError() }
        public static var secureConnectionFailed: Code { fatalError() }
        public static var serverCertificateUntrusted: Code { fatalError() }
        public static var serverCertificateHasUnknownRoot: Code { fatalError() }
        public static var serverCertificateHasBadDate: Code { fatalError() }
        public static var clientCertificateRejected: Code { fatalError() }
        public static var clientCertificateRequired: Code { fatalError() }
        public static var appTransportSecurityRequiresSecureConnection: Code { fatalError() }
    }
    public var code: Code { fatalError() }
}
public struct URLRequest: Sendable {
    public init(url: URL) { fatalError() }
    public var httpMethod: String? { get { fatalError() } set {} }
    public var httpBody: Data? { get { fatalError() } set {} }
    public var timeoutInterval: TimeInterval { get { fatalError() } set {} }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { fatalError() }
}
open class URLCache: NSObject, @unchecked Sendable {}
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    public enum Policy: UInt, Sendable { case useProtocolCachePolicy, reloadIgnoringLocalCacheData }
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var httpMaximumConnectionsPerHost: Int { get { fatalError() } set {} }
    open var requestCachePolicy: Policy { get { fatalError() } set {} }
    open var httpShouldSetCookies: Bool { get { fatalError() } set {} }
    open var urlCache: URLCache? { get { fatalError() } set {} }
    open var connectionProxyDictionary: [AnyHashable: Any]? { get { fatalError() } set {} }
}
open class URLSession: NSObject, @unchecked Sendable {
    public enum AuthChallengeDisposition: Int, Sendable { case useCredential, performDefaultHandling, cancelAuthenticationChallenge }
    open class var shared: URLSession { fatalError() }
    public init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?) { fatalError() }
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
    open func dataTask(with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionDataTask { fatalError() }
    open func invalidateAndCancel() { fatalError() }
    public func data(from url: URL) async throws -> (Data, URLResponse) { fatalError() }
}
open class URLSessionTask: NSObject, @unchecked Sendable {
    open var response: URLResponse? { fatalError() }
    open var countOfBytesSent: Int64 { fatalError() }
    open var delegate: (any URLSessionTaskDelegate)? { get { fatalError() } set {} }
    open func resume() { fatalError() }
    open func suspend() { fatalError() }
    open func cancel() { fatalError() }
}
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLProtectionSpace: NSObject, @unchecked Sendable { open var authenticationMethod: String { fatalError() } }
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable { open var protectionSpace: URLProtectionSpace { fatalError() } }
open class URLCredential: NSObject, @unchecked Sendable { public enum Persistence: UInt, Sendable { case none, forSession } }
public let NSURLAuthenticationMethodServerTrust: String = ""
public let NSURLAuthenticationMethodClientCertificate: String = ""
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    func urlSession(_ session: URLSession, didReceive challenge: URLAuthenticationChallenge, completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
    func urlSession(_ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    func urlSession(_ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64)
}
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
extension URLSessionDelegate {
    public func urlSession(_ session: URLSession, didReceive challenge: URLAuthenticationChallenge, completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) {}
}

public protocol XMLParserDelegate: AnyObject {
    func parser(_ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?, attributes attributeDict: [String: String])
    func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?)
    func parser(_ parser: XMLParser, foundCharacters string: String)
}
extension XMLParserDelegate {
    public func parser(_ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?, attributes attributeDict: [String: String]) {}
    public func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?) {}
    public func parser(_ parser: XMLParser, foundCharacters string: String) {}
}
open class XMLParser: NSObject {
    public init(data: Data) { fatalError() }
    weak open var delegate: (any XMLParserDelegate)? { get { fatalError() } set {} }
    open func parse() -> Bool { fatalError() }
    open var parserError: (any Error)? { fatalError() }
}
