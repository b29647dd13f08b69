import Foundation
import SettingsKitFiles

/// The functions that `UserDefaults` and iCloud's key-value store have in common.
protocol SystemObjects: AnyObject {
    var names: [String] { get }
    func object(forKey name: String) -> Any?
    func set(_ object: Any?, forKey name: String)
    func removeObject(forKey name: String)
    func synchronize() -> Bool
}

extension SystemObjects {
    /// Whether a date keeps its fraction of a second. On Linux, `UserDefaults` writes XML, which has none.
    private static var keepsFractions: Bool {
        #if canImport(Darwin)
            true
        #else
            false
        #endif
    }

    /// Returns the bytes of the value under a name; nil if there is none.
    ///
    /// Names are equal if they are equal as Swift strings, but `UserDefaults` on Linux compares them bit by bit. An app may have
    /// used the decomposed form.
    func data(named name: String, isURL: Bool) -> Data? {
        value(named: name).map { isURL ? $0.bytesOfURL : NativeValue.bytes(of: $0) }
    }

    private func value(named name: String) -> PropertyListValue? {
        let object =
            object(forKey: name.precomposedStringWithCanonicalMapping)
            ?? object(forKey: name.decomposedStringWithCanonicalMapping)
        return object.flatMap(PropertyListValue.init(object:))
    }

    /// Stores bytes under a name, natively if the native value has exactly these bytes, or removes them.
    func write(_ data: Data?, named name: String, isURL: Bool) {
        let (composed, decomposed) = (
            name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping
        )
        let old = value(named: name)
        // On Linux, removing one form of a name also removes the other, so the value is set last.
        if !decomposed.unicodeScalars.elementsEqual(composed.unicodeScalars) { removeObject(forKey: decomposed) }
        guard let data else { return removeObject(forKey: composed) }
        let new =
            (isURL ? PropertyListValue(urlIn: data) : nil)
            ?? NativeValue.value(for: data, resembling: old, allowsFractions: Self.keepsFractions)
        set(new.containsMinusZero ? data : new.object, forKey: composed)
        // Dictionaries have no order, and the system may convert a value.
        if self.data(named: name, isURL: isURL) != data { set(data, forKey: composed) }
    }
}
