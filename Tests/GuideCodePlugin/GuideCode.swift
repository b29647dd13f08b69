import Foundation
import PackagePlugin

/// Makes the code of the guides part of a test target, each with the tests of the file `Guides/GUIDE.swift` of that target.
@main
struct GuideCode: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let sources = context.package.directoryURL.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        let pages = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" }
        let guides = try pages.filter { try String(contentsOf: $0, encoding: .utf8).contains("```swift") }
        let tool = try context.tool(named: "settings-guide-code").url
        return guides.map { guide in
            let name = guide.deletingPathExtension().lastPathComponent
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name)Guide.swift")
            let tests = [target.directoryURL.appending(path: "Guides/\(name).swift")].filter {
                FileManager.default.fileExists(atPath: $0.path)
            }
            return .buildCommand(
                displayName: "Taking the code of the guide \(name)", executable: tool,
                arguments: ([output, guide] + tests).map(\.path),
                // A guide may have the code of another one, too.
                inputFiles: guides + tests, outputFiles: [output])
        }
    }
}
