#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses the text of an XML property list, in one pass and without recursion.
struct XMLPropertyListParser {
    var scanner: XMLScanner

    init(_ text: XMLDocumentText) {
        scanner = XMLScanner(bytes: text.bytes, position: text.start)
    }

    /// An array, a dictionary or an element `plist` without its end so far.
    private struct OpenContainer {
        let element: XMLElement
        var key: String?
        var values: [PropertyListValue] = []
        var members: [PropertyListMember] = []

        var acceptsKey: Bool { element == .dict && key == nil }

        /// Whether a value may follow here: anywhere in an array, after a key in a dictionary, once in an element `plist`.
        var acceptsValue: Bool {
            switch element {
            case .dict: key != nil
            case .plist: values.isEmpty
            default: true
            }
        }

        mutating func append(_ value: PropertyListValue) {
            if let key {
                members.append(PropertyListMember(key: key, value: value))
                self.key = nil
            } else {
                values.append(value)
            }
        }

        /// The value, if the end is here; nil if something is missing.
        var value: PropertyListValue? {
            switch element {
            case .dict:
                return key == nil ? .dictionary(members.keepingLastOfEachKey()) : nil
            case .plist: return values.first
            default: return .array(values)
            }
        }
    }

    /// Reads the value of the document.
    mutating func parseDocument() throws(PropertyListError) -> PropertyListValue {
        scanner.skipWhitespace()
        guard !scanner.isAtEnd else { throw PropertyListError(.empty) }
        guard scanner.bytes[scanner.position] == UInt8(ascii: "<") else {
            throw PropertyListError(.notAPropertyList, at: scanner.position)
        }
        try scanner.skipProlog()
        try requireElement()
        let value = try parseValue(outerDepth: 0)
        // Later text is ignored, unless keys would be lost with it. A comment may not end.
        do throws(PropertyListError) { try scanner.skipMiscellany() } catch {}
        if let key = scanner.nextKeyTag() { throw PropertyListError(.malformed, at: key) }
        return value
    }

    /// Throws `notAPropertyList` if the element that begins here is one that property lists do not have.
    private func requireElement() throws(PropertyListError) {
        let start = scanner.position
        do throws(PropertyListError) {
            var scanner = scanner
            _ = try scanner.readTag()
        } catch {
            guard error.kind == .malformed, !scanner.matches("<plist", at: start) else { throw error }
            // The file may also have been cut inside "<!DOCTYPE" or "<!--".
            let isCut = scanner.matches("<!", at: start) && scanner.bytes.count - start < 9
            throw isCut
                ? PropertyListError(.truncated, at: scanner.bytes.count)
                : PropertyListError(.notAPropertyList, at: start)
        }
    }

    /// Reads the value whose element begins here, and moves past it.
    ///
    /// `outerDepth` is the number of arrays and dictionaries around it, which counts towards the limit of depth.
    mutating func parseValue(outerDepth: Int) throws(PropertyListError) -> PropertyListValue {
        var open: [OpenContainer] = []
        var depth = outerDepth
        while true {
            let tag = try scanner.readTag()
            let fault = PropertyListError(.malformed, at: tag.offset)
            var complete: PropertyListValue?
            switch (tag.element, tag.form) {
            case (.dict, .opening), (.array, .opening), (.plist, .opening):
                guard open.last?.acceptsValue ?? true else { throw fault }
                if tag.element != .plist {
                    guard depth < PropertyListLimits.depth else { throw PropertyListError(.tooDeep, at: tag.offset) }
                    depth += 1
                }
                open.append(OpenContainer(element: tag.element))
            case (.dict, .closing), (.array, .closing), (.plist, .closing):
                guard let container = open.popLast(), container.element == tag.element,
                    let value = container.value
                else { throw fault }
                if tag.element != .plist { depth -= 1 }
                complete = value
            case (.key, .opening) where open.last?.acceptsKey == true,
                (.key, .selfClosed) where open.last?.acceptsKey == true:
                open[open.count - 1].key = PropertyListKey.decode(try readKeyText(tag))
            case (.key, .opening), (.key, .selfClosed):
                complete = .string(try readKeyText(tag))
            default:
                complete = try readScalar(tag)
            }
            if let complete {
                guard !open.isEmpty else { return complete }
                guard open[open.count - 1].acceptsValue else { throw fault }
                open[open.count - 1].append(complete)
            }
            try scanner.skipMiscellany()
        }
    }

    /// Decodes the key whose tag has been read, and moves past its element.
    mutating func readKey(_ tag: XMLTag) throws(PropertyListError) -> String {
        PropertyListKey.decode(try readKeyText(tag))
    }

    private mutating func readKeyText(_ tag: XMLTag) throws(PropertyListError) -> String {
        guard tag.form == .opening else { return "" }
        guard let text = try scanner.readText(of: .key).string() else {
            throw PropertyListError(.malformed, at: tag.offset)
        }
        return text
    }
}
