import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("The known end of a journal")
struct JournalEndTests {
    private func status(inode: UInt64 = 7, size: Int64) -> FileStatus {
        let time = FileStatus.Timestamp(seconds: 0, nanoseconds: 0)
        return FileStatus(
            kind: .file, device: 1, inode: inode, size: size, modified: time, changed: time, linkCount: 1)
    }

    @Test("A journal that ends within the record being written contains nothing unknown")
    func writing() throws {
        let end = JournalEnd(of: "")
        end.publish(inode: 7, position: 100)
        end.publishIntended(164)
        for size in [100, 130, 164] as [Int64] {
            let isPresent = try end.isPresent { () throws(SystemError) in status(size: size) }
            #expect(isPresent)
        }
    }

    @Test("A journal that was written while its status was read contains nothing unknown")
    func writtenMeanwhile() throws {
        let end = JournalEnd(of: "")
        end.publish(inode: 7, position: 100)
        let isPresent = try end.isPresent { () throws(SystemError) in
            end.publishIntended(200)
            end.publish(inode: 7, position: 200)
            return status(size: 150)
        }
        #expect(isPresent)
    }

    @Test(
        "A journal that is longer than written, shorter than known, another file or unexpected is unknown",
        arguments: [(7, 165), (7, 99), (8, 100), (8, 164)] as [(UInt64, Int64)])
    func unknown(inode: UInt64, size: Int64) throws {
        let end = JournalEnd(of: "")
        end.publish(inode: 7, position: 100)
        end.publishIntended(164)
        let isPresent = try end.isPresent { () throws(SystemError) in status(inode: inode, size: size) }
        #expect(!isPresent)
    }

    @Test("A missing journal is known if there was none")
    func missing() throws {
        let end = JournalEnd(of: "")
        let (isMissingKnown, isUnexpectedKnown) = (
            try end.isPresent { () throws(SystemError) in nil },
            try end.isPresent { () throws(SystemError) in status(size: 88) }
        )
        #expect(isMissingKnown && !isUnexpectedKnown)
        end.publish(inode: 7, position: 100)
        let isLossKnown = try end.isPresent { () throws(SystemError) in nil }
        #expect(!isLossKnown)
    }
}
