// The declarations of Apple's Security, and of Foundation's credentials made of them, that this package uses.
@_exported import Foundation
public final class SecTrust: @unchecked Sendable {}
public final class SecCertificate: @unchecked Sendable {}
public final class SecIdentity: @unchecked Sendable {}
public typealias OSStatus = Int32
public var errSecSuccess: OSStatus { 0 }
public let kSecImportExportPassphrase: CFString = ""
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) public let kSecImportToMemoryOnly: CFString = ""
public let kSecImportItemIdentity: CFString = ""
public func SecCertificateCreateWithData(_ allocator: CFTypeRef?, _ data: CFData) -> SecCertificate? { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { fatalError() }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFTypeRef?>?) -> Bool { fatalError() }
public func SecPKCS12Import(_ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus { fatalError() }
extension URLProtectionSpace { public var serverTrust: SecTrust? { fatalError() } }
extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
    public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: Persistence) { fatalError() }
}
