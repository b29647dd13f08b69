import Foundation

@testable import SettingsKitFiles

/// What holds for every value that was read: it can be written or is refused in words, is the same when it is read again,
/// and Foundation reads the same from it.
func requireRoundTrip(_ value: PropertyListValue) throws {
    var members = [PropertyListMember(key: "value", value: value)]
    if case .dictionary(let own) = value { members = own }
    let file: Data
    do throws(PropertyListError) {
        file = try XMLPropertyListWriter.write(members)
    } catch {
        let isRefused = !members.allSatisfy { XMLPropertyListWriter.canRepresent($0.value) }
        require(isRefused, "a value that can be represented is written; got \(error)")
        return
    }
    require(members.allSatisfy { XMLPropertyListWriter.canRepresent($0.value) }, "what is written can be represented")
    let written = members.map { PropertyListMember(key: $0.key, value: asWritten($0.value)) }
    try require(isSame(PropertyListReader.readDictionary(file), written), "what is written is read")
    require(isSame(PropertyListReader.recover(file), written), "an intact file is recovered whole")
    if file.count < 4096 {
        let object = try PropertyListSerialization.propertyList(from: file, format: nil)
        let encoded = written.map {
            PropertyListMember(key: PropertyListKey.encode($0.key), value: encodingKeys($0.value))
        }
        let expected = foundationObject(.dictionary(encoded)) as? NSDictionary
        if !isDoubtful(.dictionary(written)) {
            let text = String(decoding: file, as: UTF8.self)
            require(expected?.isEqual(object) == true, "Foundation reads what is written: \(text) as \(object)")
        }
    }
}

/// Compares by the bytes that the values stand for, too: two not-a-numbers are the same, and strings differ that only look
/// the same.
func isSame(_ one: [PropertyListMember], _ other: [PropertyListMember]) -> Bool {
    isSame(.dictionary(one), .dictionary(other))
}

func isSame(_ one: PropertyListValue, _ other: PropertyListValue) -> Bool {
    switch (one, other) {
    case (.array(let one), .array(let other)):
        one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
    case (.dictionary(let one), .dictionary(let other)):
        one.count == other.count
            && zip(one, other).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && isSame($0.value, $1.value) }
    case (.real(let one), .real(let other)): one.bitPattern == other.bitPattern || one.isNaN && other.isNaN
    case (.date(let one), .date(let other)): one == other || one.isNaN && other.isNaN
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    default: one == other
    }
}

/// The value as it comes back when it was written: dates are whole seconds, or reals.
private func asWritten(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .date(let seconds) where GregorianDate.writableSeconds.contains(seconds): .date(seconds.rounded(.down))
    case .date(let seconds): .real(seconds)
    case .array(let values): .array(values.map(asWritten))
    case .dictionary(let members):
        .dictionary(members.map { PropertyListMember(key: $0.key, value: asWritten($0.value)) })
    default: value
    }
}

private func encodingKeys(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .array(let values): .array(values.map(encodingKeys))
    case .dictionary(let members):
        .dictionary(
            members.map { PropertyListMember(key: PropertyListKey.encode($0.key), value: encodingKeys($0.value)) })
    default: value
    }
}

/// Whether there is something that Foundation does not give back as it is: numbers that are not equal to themselves or that
/// it does not read on every platform, texts that begin with a byte order mark, and the form that references of keyed archives have in XML.
private func isDoubtful(_ value: PropertyListValue) -> Bool {
    switch value {
    case .real(let number): !number.isFinite || number == 0 || number.magnitude < 1e-300
    case .string(let text): hasByteOrderMark(text)
    case .array(let values): values.contains(where: isDoubtful)
    case .dictionary(let members):
        members.contains { $0.key == "CF$UID" || hasByteOrderMark($0.key) || isDoubtful($0.value) }
    default: false
    }
}

/// Foundation drops a byte order mark at the beginning of a text.
private func hasByteOrderMark(_ text: String) -> Bool { text.unicodeScalars.first == "\u{FEFF}" }
