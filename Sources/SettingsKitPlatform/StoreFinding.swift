/// A finding of an inspection: the problem with a store's file, and the cure.
///
/// Its texts never contain a value.
package struct StoreFinding: Sendable, Equatable {
    package enum Severity: String, Sendable {
        /// The store does not work as it should, or a value is not used.
        case problem
        /// The store works, but a person may want to know.
        case note
    }

    package enum Kind: String, Sendable {
        // Files
        case unreadable, notAFile, tooLarge, danglingLink, writableByOthers, futureTime
        // Property lists and their logs
        case foreignFile, notAPropertyList, damaged, unusableNames, listRemoved
        case logDamaged, logTornEnd, logNewer, logRefused, logReadableByMore
        // Beside them
        case keptAside, conflictCopy
        // Shared directories
        case noState, stateNewer, copiedState, ownFileMissing, ownFileOutdated, replicaFile, tooManyFiles, clockBehind
        // Databases
        case notADatabase, corruptDatabase, unexpectedTable
    }

    package var kind: Kind
    package var severity: Severity
    package var path: String
    /// The problem, in sentences.
    package var message: String
    /// The cure, in sentences; empty if nothing needs to be done.
    package var advice: String

    package init(
        _ kind: Kind, _ severity: Severity = .problem, at path: String, _ message: String, advice: String
    ) {
        self.kind = kind
        self.severity = severity
        self.path = path
        self.message = message
        self.advice = advice
    }
}
