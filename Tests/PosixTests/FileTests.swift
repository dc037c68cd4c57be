import Foundation
import Posix
import TestSupport
import Testing

@Suite struct FileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func pipe() throws -> String {
        let path = folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    @Test("a named pipe without a writer is not waited for for ever")
    func noWriter() throws {
        let path = try pipe()
        #expect(throws: Errno.timedOut) {
            try File.contents(
                of: try .open(reading: path, waits: false), maxBytes: 10,
                patience: .milliseconds(20))
        }
    }

    @Test("a text file that is a silent pipe is called that")
    func silentPipe() throws {
        let path = try pipe()
        #expect(throws: TextFile.Unreadable.silentPipe) {
            try TextFile.contents(
                of: .open(reading: path, waits: false), maxBytes: 10, patience: .milliseconds(20))
        }
    }

    @Test("a pipe whose writer comes later, and pauses, is read to its end")
    func slowWriter() throws {
        let path = try pipe()
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "sleep 0.1; { printf ab; sleep 0.1; printf cd; } > '\(path)'"]
        try writer.run()
        #expect(try File.contents(of: path, maxBytes: 10) == Array("abcd".utf8))
        writer.waitUntilExit()
    }
}
