import Foundation
import SettingsKitCore
import SettingsKit

/// A property list that cannot be opened: there is a directory in its place. The file comes later, in one moment.
final class LateFile: Sendable {
    /// The directory in which the file will be.
    let directory: String
    private let link: String
    let problems = Recorder<SettingsError>()
    /// What stands in for the file.
    let store: RecoveringStore
    private let attempts = Recorder<Duration>()
    private let scheduled = Box<(@Sendable () -> Void)?>(nil)
    private let openings = Recorder<Void>()

    var url: URL { URL(fileURLWithPath: link + "/Settings.plist") }
    var codes: [SettingsError.Code] { problems.codes }
    /// The pauses that were asked for so far.
    var pauses: [Duration] { attempts.all }
    /// How often the store was opened, with success or without.
    var openingCount: Int { openings.count }

    init(in parent: String) throws {
        directory = parent + "/open"
        link = parent + "/config"
        try FileManager.default.createDirectory(
            atPath: parent + "/locked/Settings.plist", withIntermediateDirectories: true)
        try SettingsTestSupport.link(link, to: parent + "/locked")
        let url = URL(fileURLWithPath: link + "/Settings.plist")
        do {
            _ = try PropertyListStore(url: url)
            throw CocoaError(.fileWriteFileExists)
        } catch let error as SettingsError {
            store = RecoveringStore(reason: error, description: "memory") { [attempts, scheduled] pause, body in
                attempts.append(pause)
                scheduled.value = body
            } open: { [openings] in
                openings.append(())
                return try PropertyListStore(url: url)
            }
        }
    }

    func service(stores: [SettingsService.Scope: any SettingsStore] = [:]) -> SettingsService {
        SettingsService(
            defaults: store, storesForCustomScopes: stores, diagnosticSink: .init { [problems] in problems.append($0) })
    }

    /// Makes the attempt that was scheduled last.
    func runScheduled() { scheduled.take(replacingWith: nil)?() }

    /// Takes the obstacle away; there is a property list if it has contents.
    func appear(_ contents: [String: any Sendable] = [:]) throws {
        try makeDirectory(directory)
        if !contents.isEmpty {
            try PropertyListSerialization.data(fromPropertyList: contents, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: directory + "/Settings.plist"))
        }
        try SettingsTestSupport.link(link + "-new", to: directory)
        try move(link + "-new", to: link)
    }

    /// What another process would find in the file.
    func stored() throws -> NSDictionary {
        try PropertyListStore(url: url).bringUpToDate()
        let object = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        return object as? NSDictionary ?? [:]
    }
}
