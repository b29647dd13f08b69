import SettingsKitCore

/// The stores of a random test, and the operations on them.
enum ModelCase: CaseIterable {
    case oneStore, layers, withoutFeed, replacement, late, merging, once

    func prepare(_ world: ModelWorld, _ generator: inout SeededGenerator) {
        addStores(["a": "5", "b": "50"].filter { _ in Bool.random(using: &generator) }, to: world, &generator)
        for _ in 0..<2 { world.observe(0, world.settings[Int.random(in: 0..<3, using: &generator)]) }
        if Bool.random(using: &generator) { world.observeAll(world.services.count - 1) }
    }

    private static let layerKinds: [[Model.StoreKind]] = [
        [.locking, .writable, .fallback], [.locking, .locking, .writable], [.writable, .fallback, .fallback],
    ]

    func addStores(_ contents: [String: String], to world: ModelWorld) {
        var generator = SeededGenerator(seed: 0)
        addStores(contents, to: world, &generator)
    }

    /// Adds stores and one or two services over them.
    private func addStores(_ contents: [String: String], to world: ModelWorld, _ generator: inout SeededGenerator) {
        let store: any SettingsStore
        var layers = [0]
        switch self == .merging && Bool.random(using: &generator) ? .layers : self {
        case .oneStore, .merging, .once: store = world.addStore(contents)
        case .withoutFeed: store = world.addStore(contents, .unfed)
        case .late: store = world.addLateStore(contents)
        case .replacement:
            store = world.addStore(contents)
            _ = world.addStore(["a": "50", "b": "oops"].filter { _ in Bool.random(using: &generator) })
        case .layers:
            let kinds = Self.layerKinds[Int.random(in: Self.layerKinds.indices, using: &generator)]
            layers = Array(kinds.indices)
            let managed = Bool.random(using: &generator) ? [:] : ["b": "20"]
            do {
                store = try LayeredStore(
                    kinds.enumerated().map { number, kind in
                        switch kind {
                        case .locking: .locked(world.addStore(managed, kind), name: "\(number)")
                        case .fallback: .fallback(world.addStore(["a": "55"], kind), name: "\(number)")
                        default: .writable(world.addStore(contents))
                        }
                    })
            } catch {
                return world.fail("\(error)")
            }
        }
        for service in 0...Int.random(in: 0...1, using: &generator) {
            world.addService(over: store, layers)
            for setting in world.settings { world.get(service, setting) }
        }
        if self == .merging { world.mergeChanges(beyond: Int.random(in: 1...2, using: &generator)) }
    }

    /// Returns two or three threads with a few operations each.
    func threads(_ world: ModelWorld, _ generator: inout SeededGenerator) -> [@Sendable () -> Void] {
        (0..<Int.random(in: 2...3, using: &generator)).map { _ in
            let operations = (0..<Int.random(in: 1...4, using: &generator)).map { _ in operation(world, &generator) }
            return { for operation in operations { operation() } }
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String? {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: nil
        case 1: "oops"
        default: "\(number(&generator))"
        }
    }

    /// Few numbers, so that some are equal: accepted by both settings of the name, by one, and by none.
    private static func number(_ generator: inout SeededGenerator) -> Int {
        let numbers = [5, 20, 50, 55, 70, 75, 90, MarkedTransformer.unstorable]
        return numbers[Int.random(in: numbers.indices, using: &generator)]
    }

    private func operation(_ world: ModelWorld, _ generator: inout SeededGenerator) -> @Sendable () -> Void {
        let service = Int.random(in: 0..<world.services.count, using: &generator)
        let setting = world.settings[Int.random(in: 0..<3, using: &generator)]
        let other = world.settings[setting.name == "a" ? 2 : 0]
        let (number, text) = (Self.number(&generator), Self.text(&generator))
        let store = Int.random(in: 0..<world.stores.count, using: &generator)
        let origin: SettingsService.Origin = self == .layers && number > 60 ? .local : .external
        switch Int.random(in: 0..<22, using: &generator) {
        case 0..<3: return { world.get(service, setting) }
        case 3..<6: return { world.set(service, setting, to: number) }
        case 6: return { world.set(service, setting, to: number, throwing: true) }
        case 7: return { world.reset(service, setting) }
        case 8..<11: return { world.edit(store, [(setting.name, text)], origin) }
        case 11: return { world.edit(store, [(setting.name, text), (other.name, "50")]) }
        case 12: return { world.update(service, setting, adding: number % 2 == 0 ? 15 : -50) }
        case 13: return { world.setTogether(service, [(setting, number), (other, 50)]) }
        case 14: return { world.readTogether(service, setting, other) }
        case 15: return { world.observe(service, setting) }
        case 16:
            // A listener that reads, sets another setting once, and cancels.
            let isFirst = Box(true)
            return {
                world.observe(service, setting) {
                    world.get(service, setting)
                    if isFirst.take(replacingWith: false) {
                        world.set(service, other, to: number)
                    } else {
                        world.cancel()
                    }
                }
            }
        case 17: return { world.cancel() }
        case 18, 19: return { world.track(service, setting) }
        default:
            switch self {
            case .replacement: return { world.connect(service, to: store) }
            case .late: return { world.open(0) }
            case .oneStore where number < 50: return { world.set(service, setting, to: number, fails: true) }
            case .oneStore: return { world.begin(over: 0) }
            default: return { world.get(service, setting) }
            }
        }
    }

    /// Two threads whose orders are tried one by one.
    static let small: [[[@Sendable (ModelWorld) -> Void]]] = [
        [
            [{ $0.edit(0, [("a", "20")]) }, { $0.edit(0, [("a", "oops")]) }],
            [{ $0.get(0, $0.settings[0]) }, { $0.set(0, $0.settings[0], to: 55) }, { $0.get(0, $0.settings[1]) }],
        ],
        [
            [{ $0.observe(0, $0.settings[0]) }, { $0.set(0, $0.settings[1], to: 70) }],
            [{ $0.update(0, $0.settings[0], adding: 1) }, { $0.cancel() }],
        ],
        [
            [{ $0.setTogether(0, [($0.settings[0], 20), ($0.settings[2], 20)]) }],
            [
                { $0.observeAll(0) }, { $0.readTogether(0, $0.settings[0], $0.settings[2]) },
                { $0.track(0, $0.settings[2]) },
            ],
        ],
    ]
}
