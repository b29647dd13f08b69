import SettingsKitFiles
@testable import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileSystem {
    /// Writes once, as far as the call goes.
    @discardableResult
    func write(_ text: String, to file: FileHandle) throws(SystemError) -> Int {
        try write([UInt8](text.utf8), to: file)
    }

    /// Writes once, as far as the call goes.
    @discardableResult
    func write(_ bytes: [UInt8], to file: FileHandle) throws(SystemError) -> Int {
        let result: Result<Int, SystemError> = bytes.withUnsafeBytes { buffer in
            do throws(SystemError) { return .success(try write(buffer, to: file)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Reads once, from `offset` or from where the last call ended.
    func read(_ file: FileHandle, at offset: Int64? = nil, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result: Result<Int, SystemError> = bytes.withUnsafeMutableBytes { buffer in
            do throws(SystemError) {
                guard let offset else { return .success(try read(file, into: buffer)) }
                return .success(try read(file, at: offset, into: buffer))
            } catch {
                return .failure(error)
            }
        }
        return [UInt8](bytes.prefix(try result.get()))
    }

    /// Makes a file with a text in it.
    func make(_ path: String, _ text: String = "", synchronized: Bool = false) throws(SystemError) {
        let file = try create(path)
        defer { close(file) }
        try write(text, to: file)
        if synchronized { try synchronize(file) }
    }
}

/// The number of the error that `body` throws; 0 if it throws none.
func errorNumber(_ body: () throws -> Void) throws -> Int32 {
    do {
        try body()
        return 0
    } catch let error as SystemError {
        return error.number
    }
}

func text(_ bytes: (some Collection<UInt8>)?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
