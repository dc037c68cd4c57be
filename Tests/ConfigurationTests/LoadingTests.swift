import Configuration
import Foundation
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
                "\(file.path): “/a\\u{a}b”: unknown key “a\\u{a}b”; "
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
            lines(path: "/dev/zero") == ["/dev/zero: can't be read: not a text file"])
    }
}
