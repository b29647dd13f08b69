import Foundation
import Testing

/// Puts a disk of half a megabyte in the place of a directory; only root may.
///
/// - Returns: false where even root may not.
func mountSmallDisk(at folder: URL) throws -> Bool {
    try run("mount", "-t", "tmpfs", "-o", "size=512k", "none", folder.path) == 0
}

func unmountDisk(at folder: URL) {
    #expect(throws: Never.self) { try #require(run("umount", "-l", folder.path) == 0) }
}

private func run(_ arguments: String...) throws -> Int32 {
    let process = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: arguments)
    process.waitUntilExit()
    return process.terminationStatus
}
