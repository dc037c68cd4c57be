import Foundation
import MQTT
import Testing

@Suite("password files")
struct PasswordFileTests {
    /// A file that is gone with the test.
    private final class TemporaryFile {
        let path: String

        init(_ contents: String, mode: Int = 0o600) throws {
            path =
                FileManager.default.temporaryDirectory
                .appendingPathComponent(UUID().uuidString).path
            try contents.write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test(
        "a password is one line",
        arguments: ["secret", "secret\n", "secret\r\n", "\u{feff}secret\n"])
    func password(contents: String) throws {
        let file = try TemporaryFile(contents)
        let read = try PasswordFile(path: file.path)
        #expect(read.password == "secret")
        #expect(read.warning == nil)
    }

    @Test("a password in a world-readable file works with a warning")
    func readablePassword() throws {
        let file = try TemporaryFile("secret\n", mode: 0o644)
        #expect(
            try PasswordFile(path: file.path).warning
                == "\(file.path): everybody can read the password; run: chmod o= \(file.path)")
    }

    @Test(
        "an invalid password is refused with the reason",
        arguments: [
            ("", "the file for the password is empty"),
            ("\n", "the file for the password is empty"),
            ("a\nb\n", "the password must be the file's only line"),
            ("\u{feff}\n", "the file for the password is empty"),
            ("a\u{0}b", "the password can't be read: not a text file"),
            (String(repeating: "x", count: 65_536), "the password has more than 65535 bytes"),
        ])
    func badPassword(contents: String, reason: String) throws {
        let file = try TemporaryFile(contents)
        do throws(PasswordFile.Unusable) {
            _ = try PasswordFile(path: file.path)
            Issue.record("taken for a password")
        } catch {
            #expect(error.description == "\(file.path): \(reason)")
        }
    }
}
