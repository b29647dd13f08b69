/// The elements that occur in an XML property list.
///
/// The raw value is the name: its ASCII bytes packed into one number with the first letter highest.
enum XMLElement: UInt64 {
    case key = 0x6B_65_79
    case string = 0x73_74_72_69_6E_67
    case integer = 0x69_6E_74_65_67_65_72
    case real = 0x72_65_61_6C
    case `true` = 0x74_72_75_65
    case `false` = 0x66_61_6C_73_65
    case date = 0x64_61_74_65
    case data = 0x64_61_74_61
    case dict = 0x64_69_63_74
    case array = 0x61_72_72_61_79
    case plist = 0x70_6C_69_73_74
}

/// A tag of an XML property list.
struct XMLTag {
    enum Form {
        /// `<name>`
        case opening
        /// `</name>`
        case closing
        /// `<name/>`
        case selfClosed
    }

    var element: XMLElement
    var form: Form
    /// The offset of the tag.
    var offset: Int
}
