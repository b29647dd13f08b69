/// A weak reference.
package struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    package weak let object: Object?

    package init(_ object: Object?) {
        self.object = object
    }
}

extension Array {
    /// Removes the references whose objects were released.
    ///
    /// - Returns: the remaining objects. Release them outside the lock in which this is called: the references that this creates
    ///   may be the last ones, and releasing them then runs foreign code.
    package mutating func removeDangling<Object>() -> [Object] where Element == WeakReference<Object> {
        // Usual at the start of a process, where the first run of the code below is slow.
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
