// The declarations of Apple's AppKit, and of SwiftUI for a window, that the tests of a form on a Mac use. Nothing here does anything.
@_exported import SwiftUI

@MainActor open class NSView: NSObject {
    open var subviews: [NSView] { fatalError() }
    open func accessibilityChildren() -> [Any]? { fatalError() }
}
@MainActor public protocol NSAccessibilityProtocol: NSObjectProtocol {
    func accessibilityChildren() -> [Any]?
    func accessibilityLabel() -> String?
    func accessibilityTitle() -> String?
    func accessibilityValue() -> Any?
    func accessibilityHelp() -> String?
}
open class NSText: NSView { open func selectAll(_ sender: Any?) { fatalError() } }
open class NSTextView: NSText { open func insertText(_ string: Any, replacementRange: NSRange) { fatalError() } }
open class NSTextField: NSView { open func currentEditor() -> NSText? { fatalError() } }
@MainActor open class NSViewController: NSObject { open var view: NSView { fatalError() } }
@MainActor open class NSWindow: NSObject {
    public init(contentViewController: NSViewController) { fatalError() }
    open func setContentSize(_ size: NSSize) { fatalError() }
    open func layoutIfNeeded() { fatalError() }
    @discardableResult open func makeFirstResponder(_ responder: NSView?) -> Bool { fatalError() }
    open func close() { fatalError() }
}
@MainActor open class NSApplication: NSObject { open class var shared: NSApplication { fatalError() } }
open class NSHostingController<Content: View>: NSViewController { public init(rootView: Content) { fatalError() } }
public struct NSSize { public init(width: Double, height: Double) { fatalError() } }
public struct NSRange { public init(location: Int, length: Int) { fatalError() } }
