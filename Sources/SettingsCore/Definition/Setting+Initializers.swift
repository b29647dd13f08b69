#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService.Setting {
    /// Defines a setting that is stored as JSON (`Data` as it is).
    ///
    /// - Parameters:
    ///   - name: The name it is stored under; not empty, without NUL.
    ///   - scope: Which of the service's stores holds it.
    ///   - default: What it reads as while nothing is stored; evaluated once, here.
    ///   - processing: Applied to each value before it is stored, to clamp it for example. Values that are already
    ///     stored are not processed.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, default: T, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            key: .init(name, scope: scope), default: .constant(`default`), processing: processing, form: .standard)
    }

    /// Defines a setting whose default is computed each time that it is needed.
    ///
    /// For defaults that depend on the moment or on other settings. `default` is called from any thread, without a lock
    /// held, on each read while nothing is stored; it should be quick and must not read the setting it is the default of.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, default: @escaping @Sendable () -> T,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            key: .init(name, scope: scope), default: .computed(`default`), processing: processing, form: .standard)
    }

    /// Defines a setting that is stored in the form that `transformer` gives it.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, default: T, transformer: some Transformer<T, Data>,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            key: .init(name, scope: scope), default: .constant(`default`), processing: processing,
            form: StoredForm(transformer))
    }

    /// Defines a setting with a computed default, stored in the form that `transformer` gives it.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, default: @escaping @Sendable () -> T,
        transformer: some Transformer<T, Data>, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            key: .init(name, scope: scope), default: .computed(`default`), processing: processing,
            form: StoredForm(transformer))
    }
}

extension SettingsService.Setting where T: ExpressibleByNilLiteral {
    /// Defines an optional setting whose default is nil.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(name, in: scope, default: nil as T, processing: processing)
    }

    /// Defines an optional setting whose default is nil, stored in the form that `transformer` gives it.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, transformer: some Transformer<T, Data>,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(name, in: scope, default: nil as T, transformer: transformer, processing: processing)
    }
}
