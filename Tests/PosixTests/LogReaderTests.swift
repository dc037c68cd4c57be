import Glibc
import Testing

@testable import Posix

@Suite struct LogReaderTests {
    @Test("the reader is the journal only if JOURNAL_STREAM matches the descriptor")
    func journal() throws {
        let ends = try Sockets.pair()
        let near = Descriptor(owning: ends.0)
        close(ends.1)
        var status = stat()
        #expect(fstat(near.rawValue, &status) == 0)
        let place = "\(status.st_dev):\(status.st_ino)"
        for (stream, reader) in [
            (place, LogReader.journal), (place + "0", .other), ("", .other), (nil, .other),
        ] {
            let found = LogReader(of: near.rawValue) { $0 == "JOURNAL_STREAM" ? stream : nil }
            #expect(found == reader)
        }
        #expect(LogReader(of: -1) { _ in "0:0" } == .other)
    }
}
