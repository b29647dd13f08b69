// What the tests have other processes do. The first argument says what, the second is the property list's path, or that of a
// shared directory, which is called "shared" and has its state beside it, or that of a database, which ends in ".sqlite".
import Dispatch
import Foundation
import SettingsEtcd
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import SettingsSQLite
import SettingsTestKit

/// Writes a line at once.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

let arguments = CommandLine.arguments
let path = arguments[2]

func argument(_ index: Int) -> Int { Int(arguments[index]) ?? 0 }

/// - Parameters:
///   - lag: How long a change may be missing from a property list. Short, so that files are often replaced.
///   - patience: How long a write waits for other processes.
func openStore(
    lag: Duration? = .milliseconds(250), patience: Duration = .seconds(3)
) throws -> any SettingsStore {
    let url = URL(fileURLWithPath: path)
    if url.lastPathComponent == "shared" {
        var options = DirectoryStore.Options()
        options.patience = patience
        return try DirectoryStore(at: url, state: URL(fileURLWithPath: path + "-state"), options: options)
    }
    return if url.pathExtension == "sqlite" {
        try SQLiteStore(at: url, patience: patience)
    } else {
        try PropertyListStore(url: url, patience: patience, lag: lag)
    }
}

func openService(
    lag: Duration? = .milliseconds(250), patience: Duration = .seconds(3)
) throws -> SettingsService {
    service(over: try openStore(lag: lag, patience: patience))
}

/// The property list as every program opens it.
func propertyList(at path: String = path) throws -> PropertyListStore {
    try PropertyListStore(url: URL(fileURLWithPath: path))
}

/// A service whose problems are said, except those with one code.
func service(over store: any SettingsStore, ignoring ignored: SettingsError.Code? = nil) -> SettingsService {
    SettingsService(
        stores: [.defaults: store],
        diagnosticSink: .init { if $0.code != ignored { say("problem \($0.code.name)") } })
}

func number(_ name: String) -> Setting<Int> { Setting(name, in: .defaults, default: 0) }

/// Becomes the user whose account "listen" is for, so that other users are not affected.
func becomeOtherUser() {
    guard setuid(54_321) == 0 else { exit(2) }
}

/// Not released before the exit.
var kept: SettingsService?

switch arguments[1] {
case "count":
    // count PATH TIMES: so many updates of one counter, and an exit with the store open, which says whether it has waited for
    // other processes as long as it may.
    // Registered before those of the stores, so it runs after them.
    atexit { if ExitHook.isOutOfPatience { say("out of patience") } }
    let settings = try openService(patience: .seconds(60))
    kept = settings
    for _ in 0..<argument(3) { try settings.save { $0.update(number("counter")) { $0 += 1 } } }

case "fill":
    // fill PATH PREFIX COUNT: so many keys.
    let settings = try openService(patience: .seconds(60))
    for index in 0..<argument(4) { try settings.save(number("\(arguments[3]) \(index)"), to: index) }

case "conformance":
    // conformance PATH: what the conformance suite has a process do that it kills.
    try StoreConformance.writeUntilKilled(to: openStore())

case "migrate-up-to":
    // migrate-up-to PATH OTHER COUNT: carries out so many migrations, one after the other. OTHER is another property list, or
    // "-" where all is in one.
    let world = try MigrationWorld(path, arguments[3])
    for number in 1...argument(4) { try world.migrate(to: number) }

case "hold":
    // hold PATH: locks the files as a writer does, and stops; when it is continued, releases the lock and does nothing more.
    try HoldWork.hold(path)

case "set":
    // set PATH NAME VALUE: sets one number and exits in order.
    try openService().save(number(arguments[3]), to: argument(4))

case "set-as-other":
    // set-as-other PATH NAME VALUE: the same, as another user.
    becomeOtherUser()
    try openService().save(number(arguments[3]), to: argument(4))

case "set-and-die":
    // set-and-die PATH NAME VALUE: the same, but is killed.
    let settings = try openService()
    try settings.save(number(arguments[3]), to: argument(4))
    withExtendedLifetime(settings) { _ = kill(getpid(), SIGKILL) }

case "listen":
    // listen PATH NAME: says each number that it hears, although the system gives it nothing to watch with.
    #if canImport(Glibc)
        becomeOtherUser()
        while inotify_init1(Int32(IN_CLOEXEC)) >= 0 {}
    #endif
    let settings = try openService()
    let subscription = settings.observe(number(arguments[3])) { say("\($0.newValue)") }
    say("listening")
    withExtendedLifetime(subscription) { dispatchMain() }

case "database-insert":
    // database-insert PATH ID TEXT: inserts one row.
    DatabaseWork.run { [path, id = argument(3), text = arguments[4]] in try await DatabaseWork.insert(path, id, text) }

case "read":
    // read PATH: reads one number and exits in order.
    say("\(service(over: try propertyList()).get(number("a")))")

case "print-while-closed":
    // print-while-closed DIRECTORY COUNT: opens so many stores of two kinds while standard output is closed, and prints.
    try BackgroundWork.printWhileClosed(path, count: argument(3))

case "set-and-wait":
    // set-and-wait DIRECTORY COUNT: sets a value in so many property lists, and exits at SIGUSR1.
    try BackgroundWork.setAndWait(path, count: argument(3))

case "write-batches":
    // write-batches PATH NAME SIZE: writes a batch of so many keys of its own, and says so when it is done, for ever.
    let settings = service(over: try propertyList())
    let batch = (0..<argument(4)).map { number("\(arguments[3]) \($0)") }
    for value in 1... {
        settings.transaction { t in for setting in batch { t.set(setting, to: value) } }
        say("\(value)")
    }

case "set-singly":
    // set-singly PATH COUNT: sets so many values, one after the other, with pauses in which others take the lock, and says how
    // many were refused as busy.
    let settings = service(over: try propertyList(), ignoring: .busy)
    var busy = 0
    for value in 1...argument(3) {
        settings.set(number("single"), to: value)
        if settings.get(number("single")) != value { busy += 1 }
        usleep(1_000)
    }
    say("\(busy)")

case "open-and-close":
    // open-and-close PATH COUNT: opens, uses and closes a store so often, and says how much of the system it has.
    try BackgroundWork.openAndClose(path, count: argument(3))

case "fleet-conformance":
    // fleet-conformance FOLDER ENDPOINTS PREFIX: what the conformance suite has a process do that it kills.
    try StoreConformance.writeUntilKilled(
        to: EtcdStore(
            endpoints: arguments[3].split(separator: ",").map(String.init), prefix: arguments[4],
            state: URL(fileURLWithPath: path)))

default:
    say("unknown: \(arguments[1])")
    exit(64)
}
