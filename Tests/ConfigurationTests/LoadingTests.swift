import Configuration
import Foundation
import MQTT
import Testing

@Suite struct LoadingTests {
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

    private func lines(path: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try LocalConfiguration.load(path: path, requiresBroker: true)
            return []
        } catch {
            return error.lines
        }
    }

    @Test("every fault is a line with file, pointer and sentence")
    func lines() throws {
        let file = try TemporaryFile(
            #"{"gateway":{"site":"s"},"mqtt":{"host":"h","port":0},"a\nb":1}"#)
        #expect(
            lines(path: file.path) == [
                "\(file.path): /gateway/id: id is required",
                "\(file.path): /mqtt/port: port must be 1…65535, not 0",
                "\(file.path): “/a\\u{a}b”: “a\\u{a}b” is no key that is known here; "
                    + "expected gateway, mqtt, radio, report, filter, advertise, outbox, "
                    + "stateDirectory, metrics, homeAssistant, log",
            ])
    }

    @Test("invalid JSON is reported with line and column")
    func syntax() throws {
        let file = try TemporaryFile("{ // é\n  /* ü */ \"gateway\" 1\n}")
        #expect(lines(path: file.path) == ["\(file.path): line 2, column 21: “:” was expected"])
    }

    @Test("a missing file and a folder are reported with the system's error")
    func unreadable() {
        #expect(
            lines(path: "/nowhere/x") == ["/nowhere/x: can't be read: No such file or directory"])
        #expect(lines(path: "/") == ["/: can't be read: Is a directory"])
    }

    @Test("reads a limited part of an endless file")
    func endless() {
        #expect(
            lines(path: "/dev/zero") == [
                "/dev/zero: line 1, column 1: 1048577 bytes are more than the 1048576 that are read"
            ])
    }

    @Test(
        "a password is one line", arguments: ["secret", "secret\n", "secret\r\n"])
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
            ("a\u{0}b", "a NUL character in the password"),
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
