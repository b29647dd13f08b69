/// A reference that does not keep its object.
package struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    package weak let object: Object?

    package init(_ object: Object?) {
        self.object = object
    }
}

extension Array {
    /// Removes the references whose objects have gone.
    ///
    /// - Returns: the objects that are there, to be released outside of whatever lock this is called in: the reference
    ///   that is made by looking may be the last one, and then foreign code runs when it is given up.
    package mutating func removeDangling<Object>() -> [Object] where Element == WeakReference<Object> {
        // The usual case at the start of a process, in which the rest is slow the first time.
        if isEmpty { return [] }
        var objects: [Object] = []
        self = filter { reference in
            guard let object = reference.object else { return false }
            objects.append(object)
            return true
        }
        return objects
    }
}
