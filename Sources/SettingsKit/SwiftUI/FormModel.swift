import SettingsKitCore
import Synchronization

/// The rows of one group of a catalogue.
@MainActor struct FormSection: Identifiable {
    nonisolated let id: Int
    let title: String
    let rows: [FormRow]

    /// Returns the rows whose title, name or help has all words of a query, or all rows if the section's title has; nil if there
    /// are none.
    ///
    /// - Parameter contains: Returns whether a text has a word, as people search. Foundation has this comparison, and
    ///   FoundationEssentials lacks it.
    func matching(_ query: String, _ contains: (_ text: String, _ word: Substring) -> Bool) -> FormSection? {
        let words = query.split(whereSeparator: \.isWhitespace)
        if words.isEmpty { return self }
        func matches(_ texts: String?...) -> Bool {
            words.allSatisfy { word in texts.contains { $0.map { contains($0, word) } ?? false } }
        }
        let rows = matches(title) ? rows : rows.filter { matches(title, $0.title, $0.id, $0.help) }
        return rows.isEmpty ? nil : FormSection(id: id, title: title, rows: rows)
    }
}

/// The rows of a form, which track the settings of a catalogue in a service.
///
/// A view keeps one model for its lifetime, and asks it for the sections at each update. Only another service or other settings
/// create new rows.
@MainActor final class FormModel {
    private struct Contents {
        let service: SettingsService
        let groups: [Group]
        let sections: [FormSection]
        let rows: [String: FormRow]
        let subscriptions: [SettingsService.Subscription]
    }

    /// The values that distinguish two catalogues.
    private struct Group: Equatable {
        let title: String
        let settings: [ObjectIdentifier]

        init(_ group: SettingsGroup) {
            title = group.title
            settings = group.settings.map(ObjectIdentifier.init)
        }
    }

    private let texts: FormTexts
    private var contents: Contents?

    init(_ texts: FormTexts) { self.texts = texts }

    /// Returns a form's sections for a catalogue.
    func sections(of catalogue: SettingsCatalogue, in service: SettingsService) -> [FormSection] {
        let groups = catalogue.groups.map(Group.init)
        if let contents, contents.service === service, contents.groups == groups { return contents.sections }
        let known = contents?.service === service ? contents?.rows ?? [:] : [:]
        // Subscribed before the values are read, so that no change is missed.
        let subscriptions = subscriptions(to: catalogue, in: service)
        var rows: [String: FormRow] = [:]
        let sections = catalogue.groups.enumerated().map { number, group in
            FormSection(
                id: number, title: texts.translate(group.title),
                rows: group.settings.map { setting in
                    let name = catalogue.name(of: setting)
                    let row = rows[name] ?? known[name].flatMap { $0.setting === setting ? $0 : nil }
                    let found = row ?? FormRow(setting, named: name, in: service, texts)
                    rows[name] = found
                    return found
                })
        }
        contents = Contents(
            service: service, groups: groups, sections: sections, rows: rows, subscriptions: subscriptions)
        return sections
    }

    private func subscriptions(
        to catalogue: SettingsCatalogue, in service: SettingsService
    ) -> [SettingsService.Subscription] {
        let changes = FormChanges { [weak self] names in self?.refresh(names) }
        let names = Dictionary(catalogue.settings.map { ($0.key, catalogue.name(of: $0)) }) { first, _ in first }
        // For changes of the main actor, which update the views before `set` returns, and for the replacement of a store.
        let values = service.observe { set in
            let changed = names.filter { set.keys.contains($0.key) }.values
            if !changed.isEmpty { changes.add(changed) }
        }
        // Also for changes that affect no value: a lock, or a stored value that the setting rejects.
        return [values] + catalogue.observeStores(of: service) { names, _ in changes.addLater(names) }
    }

    private func refresh(_ names: Set<String>) {
        for name in names { contents?.rows[name]?.refresh() }
    }
}

/// The names of settings that have changed, until the main actor refreshes their rows.
private final class FormChanges: Sendable {
    private let names = Mutex<Set<String>>([], .leaf)
    private let refresh: @MainActor @Sendable (Set<String>) -> Void

    init(_ refresh: @escaping @MainActor @Sendable (Set<String>) -> Void) { self.refresh = refresh }

    /// Passes names on: at once if the main actor calls, so that an animation around a change applies to it.
    func add(_ names: some Sequence<String>) {
        guard MainQueue.isCurrent else { return addLater(names) }
        HeldLocks.requireNone(before: "a view")
        let names = Set(names)
        MainActor.assumeIsolated { refresh(names) }
    }

    /// Passes names on at the next turn of the main actor. May be called inside a lock.
    func addLater(_ new: some Sequence<String>) {
        let isFirst = names.withLock { names in
            defer { names.formUnion(new) }
            return names.isEmpty
        }
        guard isFirst else { return }
        Task { @MainActor in
            refresh(
                names.withLock { names in
                    defer { names = [] }
                    return names
                })
        }
    }
}
