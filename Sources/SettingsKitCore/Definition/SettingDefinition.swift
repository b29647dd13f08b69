import Synchronization

extension SettingsService {
    // @unchecked: a class that has a subclass cannot be checked. It is sound because every stored property is a `let`
    // of a Sendable type, and because `init` is not public, so that `Setting` (whose properties are also Sendable
    // `let`s) is the only subclass there can be.
    /// The properties of a setting that do not depend on the type of its value. Extend this class to list an app's
    /// settings.
    ///
    /// ```swift
    /// extension SettingsService.SettingDefinition {
    ///     static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    /// }
    /// settings.get(.launchCount)
    /// ```
    ///
    /// The class is the namespace in which `.launchCount` is looked up. Settings themselves are
    /// ``SettingsService/Setting`` objects; there is no other subclass.
    public class SettingDefinition: NonisolatedExtensions, @unchecked Sendable {
        /// Lets you write `Setting<Int>(...)` without a prefix inside an extension of this class.
        public typealias Setting = SettingsService.Setting

        /// The name and the scope of the setting.
        public final let key: StorageKey

        /// The purpose of the setting, for people who configure the program.
        public final let help: String?
        /// Whether tables, exports and messages show `•••` in place of the value.
        public final let isSecret: Bool

        /// A small number that no other living setting has; a service finds its cache of the setting by it.
        @usableFromInline final let index: Int

        private final let tables = Mutex<[WeakReference<SlotTable>]>([], .leaf)

        init(key: StorageKey, help: String?, isSecret: Bool) {
            self.key = key
            self.help = help
            self.isSecret = isSecret
            index = SettingIndex.next()
        }

        /// The text that replaces a secret, or a value that has no text.
        package static let hidden = "•••"
        package static let withoutText = "(no text)"

        // `Setting` overrides all of these. Swift has no abstract members.

        /// A description of valid values, for people: "an integer from 1 to 65535".
        public var expected: String { "" }

        /// The text of the default; nil if the default is computed or has no text.
        public var defaultText: String? { nil }

        /// The type of the setting's value.
        public var valueType: any Sendable.Type { Never.self }

        /// Returns a service's slot of the setting.
        func slot(in service: SettingsService) -> AnySlot {
            preconditionFailure("Every setting definition is a Setting.")
        }

        /// Returns the text of the setting's value in a service.
        func text(in service: SettingsService) -> String { "" }

        /// Parses a text, and stores the value.
        func set(fromText text: String, in service: SettingsService) throws(SettingsError) {}

        /// Whether code runs around changes.
        var hasHooks: Bool { false }

        /// Adds the hooks for a change.
        func addHooks(of change: HookedChange, in service: SettingsService, to hooks: inout CommitHooks) {}

        deinit {
            // No thread is reading this setting's cells: a reader holds the setting. The index may be reused only when every service
            // has removed them.
            for table in tables.withLock({ $0 }) {
                table.object?.removeSlot(at: index, key: key)
            }
            SettingIndex.giveBack(index)
        }

        /// Records that `table` has an object for this setting, to be removed when the setting is released.
        final func isHeld(by table: SlotTable) {
            let others = tables.withLock { tables in
                defer { tables.append(WeakReference(table)) }
                return tables.removeDangling()
            }
            withExtendedLifetime(others) {}
        }
    }
}

/// Assigns small dense numbers, and reuses those that were returned.
private enum SettingIndex {
    private struct Pool {
        var next = 0
        var free: [Int] = []
    }

    private static let pool = Mutex(Pool(), .leaf)

    static func next() -> Int {
        pool.withLock { pool in
            if let index = pool.free.popLast() { return index }
            defer { pool.next += 1 }
            return pool.next
        }
    }

    static func giveBack(_ index: Int) {
        pool.withLock { $0.free.append(index) }
    }
}

/// Two definitions are equal if they have the same name and scope.
extension SettingsService.SettingDefinition: Hashable {
    /// Returns whether two definitions have the same name and scope.
    public static func == (one: SettingsService.SettingDefinition, other: SettingsService.SettingDefinition) -> Bool {
        one.key == other.key
    }

    /// Hashes the name and the scope.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
