#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value that this program sets, and the bytes that are written for it. An object, because it is passed on with every change, and
/// copies would cost more.
final class SetValue: Sendable {
    let data: Data
    let value: any Sendable

    init(_ value: any Sendable, as data: Data) {
        self.data = data
        self.value = value
    }
}
