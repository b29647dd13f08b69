import Foundation
import SettingsKitCore

/// A few parameters of different kinds.
struct Parameters: SettingsRecord, Equatable {
    var isDetailed = false
    var apiURL: URL?
    var armedAt: Date?
    var attempts = 3
    var limit: Int? = 10

    static let empty = Parameters()

    /// Computed, from one field and from two.
    var doubledAttempts: Int {
        get { attempts * 2 }
        set { attempts = newValue / 2 }
    }
    var attemptsIfDetailed: Int {
        get { isDetailed ? attempts : 0 }
        set { attempts = isDetailed ? newValue : 0 }
    }
}

/// One number, which makes it a plain record.
struct Row: SettingsRecord, Equatable {
    var x = 1

    static let empty = Row()
}

/// Fields that are always changed together. One is not plain, so that the record is kept behind locks.
struct Pair: SettingsRecord, Equatable {
    var left = 0
    var right = 0
    var label = "none"

    static let empty = Pair()

    var agrees: Bool { left == right && (left == 0 || label == "number \(left)") }

    mutating func become(_ number: Int) { self = Pair(left: number, right: number, label: "number \(number)") }

    /// Sets the fields as settings.
    static func set(_ number: Int, in transaction: inout SettingsService.Transaction) {
        transaction.set(Setting<Int>("pair:left", in: .defaults, default: 0), to: number)
        transaction.set(Setting<Int>("pair:right", in: .defaults, default: 0), to: number)
        transaction.set(Setting<String>("pair:label", in: .defaults, default: "none"), to: "number \(number)")
    }
}

extension FeedStore {
    /// What is stored, as text.
    var texts: [String: String] { stored.mapValues { String(decoding: $0, as: UTF8.self) } }
}
