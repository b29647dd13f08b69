import Foundation
import Testing

@testable import SettingsKitCore

@Suite("The table of layers", .timeLimit(Rounds.timeLimit), .ownThreads)
struct LayerTableTests {
    /// How a layer begins.
    enum Beginning: CaseIterable { case followed, read, unreadable }

    /// A table with three stores and an argument, and what their values are, at one step of a sequence.
    private struct World {
        static let stores = [0, 2, 3]

        /// A reading, or the loading of one layer: it begins, reads the layers, and ends.
        struct Reading {
            let layers: [Int]
            let isLoading: Bool
            let since: Int
            /// The number of values that each layer had before.
            let beginning: [Int: Int]
            var answers: [Int: String?]?
            var isConcurrent = false
        }

        var table: LayerTable
        /// The values that each store has had: all differ, but every third is nothing.
        var history: [Int: [String?]] = [0: [nil], 2: ["1"], 3: ["1"]]
        /// The position in the history of the value that listeners know.
        var seen: [Int: Int] = [:]
        /// The oldest value that a concurrent reading may have.
        var oldest: [Int: Int] = [:]
        /// The stores whose value the table must know: it was published or read, or could not be read.
        var known: Set<Int> = []
        /// The stores that publish every change.
        var exhaustive: Set<Int> = []
        var readings: [Reading?] = [nil, nil]
        /// The candidates that listeners know; nil before the first change.
        var told: [SettingsStoreCandidate]?
        var steps: [String] = []

        init(_ beginnings: [Beginning]) throws {
            let layers: [LayeredStore.Layer] = [
                .locked(MemoryStore(), name: "managed"), .arguments(["--a=7"]), .writable(MemoryStore()),
                .fallback(MemoryStore(), name: "system"),
            ]
            table = LayerTable(layers, writable: 2)
            for (layer, beginning) in zip(Self.stores, beginnings) {
                if beginning != .read {
                    exhaustive.insert(layer)
                    known.insert(layer)
                }
                if beginning == .unreadable { history[layer] = [nil] + (history[layer] ?? []) }
                switch beginning {
                case .followed: table.follow(layer, with: values(of: layer), since: 0, damage: nil)
                case .read: table.endLoading(layer, until: nil)
                case .unreadable:
                    table.endLoading(layer, until: .now - .seconds(1))
                    _ = table.recordProblem(SettingsError(.readFailed), of: layer)
                }
            }
            steps = ["\(beginnings)"]
        }

        func held(by layer: Int) -> String? { history[layer]?.last ?? nil }

        func values(of layer: Int) -> [String: Data] {
            held(by: layer).map { ["a": Data($0.utf8)] } ?? [:]
        }

        func text(in layer: Int, _ row: [SettingsStoreCandidate]) -> String? {
            let name = [0: "managed", 3: "system"][layer]
            return row.first { $0.layer == name }.map { String(decoding: $0.data, as: UTF8.self) }
        }

        mutating func fail(_ problem: String) { Issue.record("\(problem) after \(steps.joined(separator: ", "))") }

        mutating func publish(_ changes: [SettingsStoreChange]) {
            for change in changes {
                if let told, told != change.oldCandidates { fail("A change does not begin with what listeners know") }
                if change.old == change.new { fail("A change changes nothing") }
                told = change.newCandidates
                for row in [change.oldCandidates, change.newCandidates] { see(row ?? []) }
            }
        }

        /// Checks that listeners know a value that each layer has had, and no older one than before.
        mutating func see(_ row: [SettingsStoreCandidate]) {
            for (layer, history) in history {
                let positions = history.indices.dropFirst(min(seen[layer] ?? 0, oldest[layer] ?? .max))
                let position = positions.first { history[$0] == text(in: layer, row) }
                if position == nil { fail("Listeners receive \(row.summary) of \(history)") }
                seen[layer] = position
            }
        }

        /// Stores the next value in a layer.
        mutating func change(_ layer: Int, isPublished: Bool) {
            let old = held(by: layer)
            let number = history[layer]?.count ?? 0
            let new = number % 3 == 0 ? nil : "\(number + 1)"
            history[layer]?.append(new)
            guard isPublished else { return }
            let change = SettingsStoreChange(
                name: "a", from: old.map { Data($0.utf8) }, to: new.map { Data($0.utf8) })
            publish(table.apply([change], of: layer, origin: .local))
            known.insert(layer)
        }

        /// Begins a reading, reads, or ends it.
        mutating func proceed(with slot: Int, loading layer: Int?) {
            guard var reading = readings[slot] else {
                let beginning = history.mapValues(\.count)
                if let layer {
                    exhaustive.insert(layer)
                    table.recordExhaustive(layer, at: .now)
                    let (layers, since) = table.beginLoading(at: .now, forced: layer)
                    for other in layers where other != layer { table.endLoading(other, until: .now - .seconds(1)) }
                    guard layers.contains(layer) else { return }
                    readings[slot] = Reading(layers: [layer], isLoading: true, since: since, beginning: beginning)
                } else {
                    let (layers, since) = table.beginReading()
                    readings[slot] = Reading(layers: layers, isLoading: false, since: since, beginning: beginning)
                }
                return
            }
            if readings.allSatisfy({ $0 != nil }) {
                for other in readings.indices { readings[other]?.isConcurrent = true }
            }
            guard let answers = reading.answers else {
                reading.answers = Dictionary(uniqueKeysWithValues: reading.layers.map { ($0, held(by: $0)) })
                readings[slot]?.answers = reading.answers
                return
            }
            let isConcurrent = readings[slot]?.isConcurrent == true
            readings[slot] = nil
            for layer in reading.layers {
                // Of concurrent readings, either may have read the newer value.
                let beginning = (reading.beginning[layer] ?? 1) - 1
                if isConcurrent { oldest[layer] = beginning }
                let data = answers[layer]?.map { Data($0.utf8) }
                if reading.isLoading {
                    table.follow(layer, with: data.map { ["a": $0] } ?? [:], since: reading.since, damage: nil)
                } else {
                    table.record(data, under: "a", of: layer, since: reading.since)
                }
            }
            publish(table.settle(read: reading.isLoading ? [] : ["a"]).map(\.change))
            known.formUnion(reading.layers)
            oldest = [:]
            let row = table.candidates(under: "a")
            for layer in reading.layers {
                let valid = history[layer]?.dropFirst((reading.beginning[layer] ?? 1) - 1) ?? []
                if !valid.contains(text(in: layer, row)) { fail("Layer \(layer) is stale: \(row.summary)") }
            }
        }

        /// Checks what must hold at every moment.
        mutating func check() {
            let row = table.candidates(under: "a")
            for layer in Self.stores where table.isFollowing(layer) && text(in: layer, row) != held(by: layer) {
                fail("Followed layer \(layer) is \(row.summary)")
            }
            if known.isSuperset(of: Self.stores), !table.waitingNames.isEmpty { fail("A change waits for nothing") }
            if let told, table.waitingNames.isEmpty, told != row { fail("Listeners do not know \(row.summary)") }
            if row.first(where: { $0.layer == "arguments" })?.isLocking != true { fail("The argument is missing") }
        }
    }

    private static let beginnings = Beginning.allCases.flatMap { first in
        Beginning.allCases.flatMap { second in Beginning.allCases.map { [first, second, $0] } }
    }

    @Test("For every sequence of changes, readings and loadings, published changes form a chain, and no value is stale")
    func sequences() throws {
        for beginnings in Self.beginnings { continueAll(try World(beginnings), Rounds.choose(3, full: 5)) }
    }

    @Test("Long sequences do the same")
    func longSequences() throws {
        for seed in Rounds.seeds(0..<50_000, part: 2_000) {
            var generator = SeededGenerator(seed: seed)
            var world = try World(Self.beginnings[Int(seed) % Self.beginnings.count])
            for _ in 0..<20 {
                let steps = steps(of: world)
                world = after(steps[Int.random(in: steps.indices, using: &generator)], world)
            }
        }
    }

    /// Continues a sequence in every way.
    private func continueAll(_ world: World, _ length: Int) {
        if length == 0 { return }
        for step in steps(of: world) { continueAll(after(step, world), length - 1) }
    }

    private enum Step {
        case change(layer: Int, isPublished: Bool)
        case proceed(slot: Int, loading: Int?)
    }

    /// Returns the possible next steps.
    private func steps(of world: World) -> [Step] {
        var steps: [Step] = world.readings.indices.map { .proceed(slot: $0, loading: nil) }
        for layer in World.stores {
            steps.append(.change(layer: layer, isPublished: true))
            if !world.exhaustive.contains(layer) { steps.append(.change(layer: layer, isPublished: false)) }
            if world.readings[1] == nil, !world.table.isFollowing(layer) {
                steps.append(.proceed(slot: 1, loading: layer))
            }
        }
        return steps
    }

    private func after(_ step: Step, _ world: World) -> World {
        var next = world
        next.steps.append("\(step)")
        switch step {
        case .change(let layer, let isPublished): next.change(layer, isPublished: isPublished)
        case .proceed(let slot, let layer): next.proceed(with: slot, loading: layer)
        }
        next.check()
        return next
    }
}
