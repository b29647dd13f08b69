import SettingsKit
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The terminal view: connects the ``BrowserState`` with a terminal and with settings.
package struct Browser {
    private let source: any BrowsedSettings
    private let terminal: Terminal
    private let abilities: TerminalAbilities
    private let environment: [String: String]
    private let changes: ChangedNames
    private var state: BrowserState
    private var decoder = KeyDecoder()
    /// The contents of the terminal; nil if they are unknown.
    private var shown: Screen?
    private var isQuitting = false

    /// Shows the view until the person quits.
    ///
    /// - Throws: if there is no terminal, or if the settings cannot be read.
    package static func run(_ settings: () throws -> any BrowsedSettings) throws {
        try Terminal.require()
        let source = try settings()
        let environment = ProcessInfo.processInfo.environment
        let changes = ChangedNames()
        // Observed before the settings are read, so that no change is missed.
        let subscriptions = source.observe { names, origin in changes.add(names, isExternal: origin == .external) }
        defer { for subscription in subscriptions { subscription.cancel() } }
        let items = try source.items()
        let terminal = try Terminal()
        var browser = Browser(source, items, terminal, changes, environment)
        let signal = browser.run()
        terminal.restore()
        guard let signal else { return }
        // The process must end as without the view. If it does not, the command has failed.
        TerminalSignals.raiseAgain(signal)
        throw TerminalFailure.interrupted("The terminal view was interrupted.")
    }

    private init(
        _ source: any BrowsedSettings, _ items: [BrowserItem], _ terminal: Terminal, _ changes: ChangedNames,
        _ environment: [String: String]
    ) {
        self.source = source
        self.terminal = terminal
        self.changes = changes
        self.environment = environment
        abilities = TerminalAbilities(environment: environment)
        let size = terminal.size(environment: environment)
        state = BrowserState(title: source.title, items: items, columns: size.columns, rows: size.rows)
    }

    /// - Returns: The signal that ends the process; nil if the person has quit.
    private mutating func run() -> Int32? {
        let size = terminal.size(environment: environment)
        handle(.resized(columns: size.columns, rows: size.rows))
        var isDrawn = false
        var lastFrame = ContinuousClock.now - .seconds(1)
        while !isQuitting {
            // Keys are answered at once; live changes are drawn a few times a second.
            let age = (ContinuousClock.now - lastFrame) / .milliseconds(1)
            let rest = max(0, TerminalLimits.frameTime - Int(age))
            var timeout = decoder.isPending ? TerminalLimits.sequenceTime : nil
            if !isDrawn { timeout = min(timeout ?? rest, rest) }
            if !isDrawn, rest == 0 {
                guard draw() else { return SIGHUP }
                (isDrawn, lastFrame) = (true, .now)
                continue
            }
            let input = terminal.wait(timeout: timeout)
            if let signal = TerminalSignals.ending.first(where: input.signals.contains) { return signal }
            if input.isClosed { return SIGHUP }
            if !input.bytes.isEmpty {
                for key in decoder.decode(input.bytes) where !isQuitting { handle(.key(key)) }
                // All typed keys are handled before the next drawing.
                lastFrame = .now - .milliseconds(TerminalLimits.frameTime)
                isDrawn = false
            } else if decoder.isPending, input.signals.isEmpty, input.errors.isEmpty {
                for key in decoder.timeOut() { handle(.key(key)) }
                isDrawn = false
            }
            if handleInput(input) { isDrawn = false }
        }
        return nil
    }

    /// Handles signals, messages and live changes.
    ///
    /// - Returns: Whether there was anything.
    private mutating func handleInput(_ input: Terminal.Input) -> Bool {
        if input.signals.contains(SIGTSTP) { terminal.suspend() }
        if input.signals.contains(SIGCONT) { terminal.resume() }
        if !input.signals.isDisjoint(with: [SIGTSTP, SIGCONT, SIGWINCH]) {
            shown = nil
            let size = terminal.size(environment: environment)
            handle(.resized(columns: size.columns, rows: size.rows))
        }
        if let line = input.errors.split(whereSeparator: \.isNewline).last { handle(.reported(String(line))) }
        for (names, isExternal) in changes.removeAll() { refresh(names, isExternal: isExternal) }
        return !input.signals.isEmpty || !input.errors.isEmpty
    }

    private mutating func draw() -> Bool {
        let screen = state.screen()
        defer { shown = screen }
        return terminal.write(screen.difference(from: shown, abilities: abilities))
    }

    // MARK: Effects

    private mutating func handle(_ event: BrowserState.Event) {
        for effect in state.handle(event) { perform(effect) }
    }

    private mutating func perform(_ effect: BrowserState.Effect) {
        switch effect {
        case .load(let name): handle(.loaded(source.detail(of: name)))
        case .refresh(let name): refresh([name], isExternal: false)
        case .write(let write): perform(write)
        case .redraw: shown = nil
        case .quit: isQuitting = true
        }
    }

    private mutating func perform(_ write: BrowserWrite) {
        let outcome = source.write(write)
        handle(.wrote(write, outcome))
        guard case .stored = outcome else { return }
        do {
            try source.bringUpToDate()
        } catch {
            handle(.reported("\(error)"))
        }
    }

    private mutating func refresh(_ names: [String], isExternal: Bool) {
        if names.isEmpty { return }
        do {
            handle(.refreshed(try names.map { ($0, try source.item(named: $0)) }, isExternal: isExternal))
        } catch {
            handle(.reported("\(error)"))
        }
    }
}

/// The names of changed settings, added on any thread and removed by the view.
private final class ChangedNames: Sendable {
    private let names = Mutex<[String: Bool]>([:], .leaf)

    func add(_ added: [String], isExternal: Bool) {
        names.withLock { names in for name in added { names[name, default: false] = names[name] ?? false || isExternal }
        }
        TerminalSignals.wake()
    }

    /// Removes the names that have changed in this process, and in others.
    func removeAll() -> [(names: [String], isExternal: Bool)] {
        let removed = names.withLock { names in
            defer { names = [:] }
            return names
        }
        return [false, true].map { isExternal in
            (removed.filter { $0.value == isExternal }.map(\.key).sorted(), isExternal)
        }
    }
}
