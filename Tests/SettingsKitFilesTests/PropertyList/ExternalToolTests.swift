import Foundation
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

#if os(macOS) || os(Linux)
    /// Runs a program found on the search path, with `input` as a file whose path replaces `FILE` among the arguments.
    private func run(_ arguments: [String], input: Data) throws -> (status: Int32, output: Data) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).plist")
        try input.write(to: file)
        defer { unlink(file.path) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments.map { $0 == "FILE" ? file.path : $0 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, bytes)
    }

    /// Whether a program is there, told by running it.
    private func isAvailable(_ arguments: [String]) -> Bool {
        do {
            return try run(arguments, input: Data("<plist version=\"1.0\"><dict/></plist>".utf8)).status == 0
        } catch {
            return false
        }
    }

    private let hasPython = isAvailable(["python3", "-c", "import plistlib"])
    private let hasPlutil = isAvailable(["plutil", "-lint", "FILE"])

    @Suite("Agreement with other programs", .ownThreads)
    struct ExternalToolTests {
        /// Random members without what Python's dates and Foundation's carriage returns cannot take.
        private func members(seed: UInt64) -> [PropertyListMember] {
            var random = RandomPropertyList(seed: seed)
            random.usesCarriageReturns = false
            return sampleMembers.filter { $0.key != "text" } + [
                PropertyListMember(key: "random", value: random.value(depth: 0))
            ]
                + [
                    PropertyListMember(
                        key: "tree", value: .array((0..<5).map { _ in withoutDates(random.value(depth: 4)) }))
                ]
        }

        private func withoutDates(_ value: PropertyListValue) -> PropertyListValue {
            switch value {
            case .date: .boolean(true)
            case .array(let values): .array(values.map { withoutDates($0) })
            case .dictionary(let members):
                .dictionary(members.map { PropertyListMember(key: $0.key, value: withoutDates($0.value)) })
            default: value
            }
        }

        @Test(
            "Agreement with other programs: Python reads what is written, and what Python writes is read",
            .enabled(if: hasPython, "python3 is not installed"), arguments: [1, 2, 3, 4, 5, 6] as [UInt64],
            ["XML", "BINARY"])
        func pythonReadsWhatIs(seed: UInt64, format: String) throws {
            let members = members(seed: seed)
            let script = """
                import plistlib, sys
                value = plistlib.load(open(sys.argv[1], 'rb'))
                sys.stdout.buffer.write(plistlib.dumps(value, fmt=plistlib.FMT_\(format), sort_keys=False))
                """
            let file = try XMLPropertyListWriter.write(members, comment: "seed \(seed)")
            let (status, output) = try run(["python3", "-c", script, "FILE"], input: file)
            #expect(status == 0)
            // Python writes whole reals with ".0", reads them as reals, and keeps the order of dictionaries.
            #expect(try PropertyListReader.readDictionary(output) == members, "seed \(seed)")
        }

        @Test(
            "Agreement with other programs: plutil finds no fault, and converts to what is read the same",
            .enabled(if: hasPlutil, "plutil is not installed"), arguments: [1, 2, 3, 4] as [UInt64])
        func plutilFindsNoFault(seed: UInt64) throws {
            let members = members(seed: seed)
            let file = try XMLPropertyListWriter.write(members, comment: "seed \(seed)")
            #expect(try run(["plutil", "-lint", "FILE"], input: file).status == 0)
            for format in ["xml1", "binary1"] {
                let (status, output) = try run(["plutil", "-convert", format, "-o", "-", "FILE"], input: file)
                #expect(status == 0)
                #expect(
                    sorted(try PropertyListReader.read(output)) == sorted(.dictionary(members)),
                    "seed \(seed), \(format)")
            }
        }
    }
#endif
