#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value in a file of settings, with the values in it if it is an object.
package final class FileValue: Sendable {
    package typealias Member = (name: String, value: FileValue)

    /// Where a value begins. Finding the lines and columns of all values would take long if they are on one line.
    struct Place: Sendable {
        let offset: Int
        let file: FileBytes
    }

    /// The bytes of a value.
    package enum Content: Sendable {
        case known(Data)
        /// Those of an object are composed when a setting has the whole object as its value.
        case composed(@Sendable () -> Data)
    }

    private let place: Place?
    /// The path of its file, if each value has one.
    let path: String?
    let form: SettingsStoreCandidate.Form
    private let content: Content
    /// Whether it is an object, whose members are values of settings with longer names.
    let isObject: Bool
    let members: [Member]
    /// Those that count.
    package let countingMembers: [Member]
    /// The positions of the last members of each name, which count.
    private let places: [String: Int]

    /// Creates a value that is no object.
    init(_ content: Content, form: SettingsStoreCandidate.Form, at place: Place?, path: String? = nil) {
        (self.content, self.form, self.place, self.path) = (content, form, place, path)
        (isObject, members, countingMembers, places) = (false, [], [], [:])
    }

    /// Creates a value that is no object, and whose place is not known.
    package convenience init(_ content: Content, form: SettingsStoreCandidate.Form, path: String? = nil) {
        self.init(content, form: form, at: nil, path: path)
    }

    /// Creates the object around the values of a file, which is no setting's value.
    package convenience init(entries: [Member]) { self.init(entries, form: .text, at: nil) { _ in Data() } }

    /// Creates an object whose place is not known.
    package convenience init(
        _ members: [Member], form: SettingsStoreCandidate.Form, compose: @escaping @Sendable ([Member]) -> Data
    ) {
        self.init(members, form: form, at: nil, compose: compose)
    }

    /// Creates an object. The last one of repeated members counts.
    ///
    /// - Parameter compose: Returns the bytes of an object with these members, without repeated ones.
    init(
        _ members: [Member], form: SettingsStoreCandidate.Form, at place: Place?,
        compose: @escaping @Sendable ([Member]) -> Data
    ) {
        var places: [String: Int] = [:]
        places.reserveCapacity(members.count)
        for (place, member) in members.enumerated() { places[member.name] = place }
        let counting = members.enumerated().filter { places[$1.name] == $0 }.map { $1 }
        (self.form, self.place, path, isObject) = (form, place, nil, true)
        (self.members, self.places, countingMembers) = (members, places, counting)
        content = .composed { compose(counting) }
    }

    /// The place where the value begins; nil if it is not known.
    var position: TextPosition? {
        place.flatMap { $0.file.position(of: $0.offset) }
    }

    /// The bytes of the value, in its form.
    package var data: Data {
        switch content {
        case .known(let data): data
        case .composed(let compose): compose()
        }
    }

    /// Returns the member of a name.
    func member(_ name: some StringProtocol) -> FileValue? { places[String(name)].map { members[$0].value } }
}
