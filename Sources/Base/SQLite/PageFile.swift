import Posix

/// The pages of a database, in its file or its log.
///
/// It reads each page by itself: the disk may be unable to read some of them. In a mapped file, such a page would end the process
/// (SIGBUS in mmap(2)).
///
/// A class: in nested noncopyable structures, Swift 6.3.1 closed descriptor 0 during the initialisation.
final class PageFile {
    let size: Int
    /// The pages of the database. Pages behind them have older states.
    let count: Int
    private let file: Descriptor
    private let log: [UInt8]
    /// Where the log has the newest version of a page.
    private let logged: [Int: Int]

    /// - Parameter size: of a page.
    init(path: String, pageSize size: Int) throws(Errno) {
        let file = try Descriptor.open(regularFile: path)
        let bytes = try file.size()
        log = try Self.log(of: path)
        self.size = size
        let committed = WriteAheadLog.committed(log, size: size)
        logged = committed.pages
        count = committed.count ?? max(bytes / size, logged.keys.max() ?? 0)
        self.file = file
    }

    /// The bytes of a page; `nil` behind the end, or if the disk can't read it.
    func page(_ number: Int) -> [UInt8]? {
        guard 0 < number, number <= count else { return nil }
        if let place = logged[number] { return Array(log[place..<place + size]) }
        let bytes = try? file.bytes(at: (number - 1) * size, count: size)
        return bytes?.count == size ? bytes : nil
    }

    /// The log. Zeros stand for what the disk can't read: no frame there has a right checksum.
    private static func log(of path: String) throws(Errno) -> [UInt8] {
        guard File.exists(path + "-wal") else { return [] }
        let file = try Descriptor.open(regularFile: path + "-wal")
        let bytes = min(try file.size(), SQLiteFile.maxLogBytes)
        var log: [UInt8] = []
        let block = 4096
        for start in stride(from: 0, to: bytes, by: block) {
            let count = min(block, bytes - start)
            let part = (try? file.bytes(at: start, count: count)) ?? []
            log += part + repeatElement(0, count: count - part.count)
        }
        return log
    }
}
