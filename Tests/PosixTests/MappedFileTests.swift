import Foundation
import Testing

@testable import Posix

@Suite struct MappedFileTests {
    private static func read(_ path: String) throws -> [UInt8] {
        let file = try MappedFile(path: path)
        return file.withBytes { Array($0) }
    }

    @Test(
        "a mapped file has the file's bytes, and an empty file has none",
        arguments: [0, 1, 4096, 4097])
    func bytes(count: Int) throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("sightline-\(UUID().uuidString)")
        let bytes = (0..<count).map { UInt8($0 & 0xff) }
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(try Self.read(url.path) == bytes)
    }

    @Test(
        "a path that is no regular file is an error",
        arguments: [
            ("/nonexistent/file", Errno.noSuchFile), ("/", Errno(rawValue: EISDIR)),
            ("/dev/null", .invalidArgument), ("", .noSuchFile),
        ])
    func errors(path: String, error: Errno) {
        #expect(throws: error) { try Self.read(path) }
    }
}
