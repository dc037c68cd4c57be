import Glibc
import Posix

/// A file with a password or a token: one line, with or without a line feed.
package struct PasswordFile: Equatable, Sendable {
    package let password: String
    /// A weakness of the file that does not prevent its use.
    package let warning: String?

    /// Why a password file can't be used.
    package struct Unusable: Error, Equatable, Sendable, CustomStringConvertible {
        /// One sentence that begins with the file's path, without a full stop.
        package let description: String
    }

    /// The longest password that MQTT can send (MQTT 5.0 section 1.5.6).
    private static let maxBytes = 65_535

    /// Reads the file at `path`.
    ///
    /// - Parameter secret: what it has, for sentences.
    package init(path: String, of secret: String = "password") throws(Unusable) {
        var status = stat()
        var contents: [UInt8]
        do throws(TextFile.Unreadable) {
            contents = try Self.contents(of: path, &status)
        } catch {
            throw Unusable(description: "\(path): the \(secret) can't be read: \(error)")
        }
        if contents.last == UInt8(ascii: "\n") { contents.removeLast() }
        if contents.last == UInt8(ascii: "\r") { contents.removeLast() }
        if let reason = Self.fault(of: contents, secret) {
            throw Unusable(description: "\(path): \(reason)")
        }
        guard let password = String(validating: contents, as: UTF8.self) else {
            throw Unusable(description: "\(path): the \(secret) is not UTF-8")
        }
        self.password = password
        warning =
            status.st_mode & S_IROTH == 0
            ? nil : "\(path): everybody can read the \(secret); run: chmod o= \(path)"
    }

    private static func contents(
        of path: String, _ status: inout stat
    ) throws(TextFile.Unreadable) -> [UInt8] {
        let file = try TextFile.open(path, waits: false)
        let number = file.rawValue
        do throws(Errno) { _ = try retryingInterrupts { fstat(number, &status) } } catch {
            throw .system(error)
        }
        return try TextFile.contents(
            of: file, maxBytes: maxBytes + 2, patience: File.patience)
    }

    private static func fault(of contents: [UInt8], _ secret: String) -> String? {
        if contents.isEmpty { return "the file for the \(secret) is empty" }
        if contents.count > maxBytes { return "the \(secret) has more than \(maxBytes) bytes" }
        return contents.contains(UInt8(ascii: "\n"))
            ? "the \(secret) must be the file's only line" : nil
    }
}
