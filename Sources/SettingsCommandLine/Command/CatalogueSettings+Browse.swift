import SettingsKit
import SettingsKitTerminal

extension CatalogueSettings {
    package func items() -> [BrowserItem] {
        var seen: Set<String> = []
        return catalogue.groups.flatMap { group in
            group.settings.filter { seen.insert(catalogue.name(of: $0)).inserted }.map { item($0, group: group.title) }
        }
    }

    package func item(named name: String) -> BrowserItem? {
        guard let setting = catalogue.setting(named: name) else { return nil }
        let group = catalogue.groups.first { $0.settings.contains { $0 === setting } }
        return item(setting, group: group?.title ?? "")
    }

    private func item(_ setting: SettingsService.SettingDefinition, group: String) -> BrowserItem {
        let state = setting.catalogued.state(in: settings, showsSecrets: false)
        let text = state.text ?? SettingsService.SettingDefinition.withoutText
        return BrowserItem(
            name: catalogue.name(of: setting), group: group,
            text: String(text.prefix(CommandLimits.previewedCharacters)),
            source: state.sourceText,
            isDefault: state.source == .default, isLocked: state.isLocked, isSet: state.isSet,
            hasProblem: state.problem != nil, help: setting.help ?? "")
    }

    package func detail(of name: String) -> BrowserDetail? {
        guard let setting = catalogue.setting(named: name) else { return nil }
        let state = setting.catalogued.state(in: settings, showsSecrets: false)
        var detail = BrowserDetail(
            name: name, description: SettingsCatalogue.description(of: setting),
            text: state.text ?? SettingsService.SettingDefinition.withoutText)
        detail.layers = layers(of: setting, state)
        detail.problem = state.problem.map(command.message)
        detail.isSecret = state.isSecret
        // A rejected value is to be corrected. A secret is typed again.
        let rejected = state.layers.first { $0.name == nil && $0.problem != nil }?.text
        detail.editableText = state.isSecret ? "" : rejected ?? state.text ?? ""
        detail.choices =
            state.isSecret
            ? []
            : setting.catalogued.isFlag
                ? ["false", "true"] : setting.catalogued.valueDescription.constraint.allowed ?? []
        do {
            detail.stored = try settings.save { $0.storedData(of: setting) }
        } catch {
            detail.refusal = command.message(for: error)
        }
        if let lock = state.lock {
            let place = lock.location.map { " (\($0))" } ?? ""
            let reason =
                lock.problem.map { ", which cannot be read. \(command.message(for: $0))" }
                ?? ". Change or remove the value there."
            detail.refusal = "\(name) is locked by the layer \(lock.layer)\(place)\(reason)"
        }
        return detail
    }

    package func write(_ write: BrowserWrite) -> BrowserWrite.Outcome {
        guard let setting = catalogue.setting(named: write.name) else { return .refused("\(write.name) is gone.") }
        do {
            return try settings.save { transaction -> BrowserWrite.Outcome in
                let before = transaction.storedData(of: setting)
                if before != write.expected { return .changedMeanwhile(before) }
                switch write.content {
                case .text(let text): try setting.catalogued.set(text, in: &transaction)
                case .stored(let data): transaction.restore(data, of: setting)
                }
                let after = transaction.storedData(of: setting)
                return .stored(BrowserChange(name: write.name, before: before, after: after))
            }
        } catch let error as SettingsError {
            // The reason is shown in one line, if there is one.
            if error.code == .invalidValue, let expected = error.expected {
                return .refused("\(write.name): Not stored. Expected \(expected).")
            }
            return .refused(command.message(for: error))
        } catch {
            return .refused(command.message(for: error))
        }
    }

    package func observe(
        _ body: @escaping @Sendable (_ names: [String], SettingsService.Origin) -> Void
    ) -> [SettingsService.Subscription] {
        catalogue.observeStores(of: settings, body)
    }
}
