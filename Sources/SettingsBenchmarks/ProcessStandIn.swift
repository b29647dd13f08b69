#if !(os(macOS) || os(Linux))
    import Foundation

    /// In the place of Foundation's: other systems let a program start no other one.
    final class Process {
        var (executableURL, arguments): (URL?, [String]?)
        var standardOutput: Any?
        var terminationStatus: Int32 { 1 }

        func run() throws { throw CocoaError(.featureUnsupported) }

        func waitUntilExit() {}
    }
#endif
