import Posix

/// An SQLite file and the files beside it: the write-ahead log (`-wal`) and its index (`-shm`).
package enum SQLiteFile {
    /// The largest log that is checked.
    static let maxLogBytes = 64 << 20

    /// Whether SQLite would ignore commits in the log of the file.
    package static func hidesCommits(_ path: String) -> Bool {
        let log = try? File.contents(of: path + "-wal", maxBytes: maxLogBytes)
        return log.map(WriteAheadLog.hidesCommits) ?? false
    }

    /// Lets only the owner read and write the file and its log, and creates an empty file if there is none.
    package static func makePrivate(_ path: String) throws(Errno) {
        // SQLite creates the log with the mode of the file.
        try File.makePrivate(path)
        if File.exists(path + "-wal") { try File.makePrivate(path + "-wal") }
    }

    /// Renames a closed file and its log. The file never gets the log of another file.
    package static func rename(_ path: String, to place: String) throws(Errno) {
        try remove(place)
        try File.rename(path, to: place)
        if File.exists(path + "-wal") { try File.rename(path + "-wal", to: place + "-wal") }
        try File.remove(path + "-shm")
    }

    /// Removes a closed file.
    package static func remove(_ path: String) throws(Errno) {
        // SQLite ignores a log without a file. A file without its log would be an older state.
        for suffix in ["", "-wal", "-shm"] { try File.remove(path + suffix) }
    }
}

/// A check of SQLite's write-ahead log (sqlite.org/fileformat2.html, section 4).
///
/// SQLite ignores all frames behind a damaged one without an error. Commits behind it were flushed, so they are lost.
package enum WriteAheadLog {
    private enum Header {
        static let size = 32
        static let salts = 16..<24
        static let checksum = 24
        /// The lowest bit selects big-endian words for the checksums.
        static let magic: UInt32 = 0x377f_0682
    }

    private enum Frame {
        static let header = 24
        /// The size of the database after a commit; zero in other frames.
        static let commit = 4
        static let salts = 8..<16
        static let checksum = 16
    }

    /// What a log has.
    private struct Contents {
        /// The places of the committed pages.
        var pages: [Int: Int] = [:]
        /// The pages of the database; `nil` without a commit, or if frames are damaged: the file can be newer than the log then.
        var count: Int?
        /// Commits behind a damaged frame.
        var hidden = 0
    }

    /// Whether commits are behind a damaged frame.
    ///
    /// A power cut can damage the last commit, which was not flushed. Only an earlier commit counts.
    package static func hidesCommits(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > Header.size + Frame.header else { return false }
        return contents(bytes).map { $0.hidden > 1 } ?? true
    }

    /// Where the newest committed versions of pages are in the log, and how many pages the database has, if the log tells.
    static func committed(_ bytes: [UInt8], size: Int) -> (pages: [Int: Int], count: Int?) {
        guard bytes.count > Header.size + Frame.header, Int(word(bytes, 8)) == size,
            let contents = contents(bytes)
        else { return ([:], nil) }
        return (contents.pages, contents.count)
    }

    /// - Returns: `nil` if the header is damaged.
    private static func contents(_ bytes: [UInt8]) -> Contents? {
        let page = Int(word(bytes, 8))
        let size = Frame.header + page
        let magic = word(bytes, 0)
        guard page >= 512, page <= 65_536, magic & ~1 == Header.magic else { return nil }
        var sum = Checksum(isBigEndian: magic & 1 == 1)
        sum.add(bytes[..<Header.checksum])
        guard sum.matches(bytes, at: Header.checksum) else { return nil }
        var contents = Contents()
        var written: [Int: Int] = [:]
        var isIntact = true
        var isDamaged = false
        for start in stride(from: Header.size, through: bytes.count - size, by: size) {
            let salts = bytes[start + Frame.salts.lowerBound..<start + Frame.salts.upperBound]
            // Frames of an earlier log have other salts.
            let isCurrent = salts.elementsEqual(bytes[Header.salts])
            if isIntact {
                sum.add(bytes[start..<start + Frame.salts.lowerBound])
                sum.add(bytes[start + Frame.header..<start + size])
                isIntact = isCurrent && sum.matches(bytes, at: start + Frame.checksum)
            }
            let count = Int(word(bytes, start + Frame.commit))
            if isIntact {
                written[Int(word(bytes, start))] = start + Frame.header
                if count > 0 { (contents.pages, contents.count) = (written, count) }
            } else if isCurrent {
                isDamaged = true
                if count > 0 { contents.hidden += 1 }
            }
        }
        if isDamaged { contents.count = nil }
        return contents
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The running checksum of the log.
    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { raw in
                for at in stride(from: 0, to: raw.count - 7, by: 8) {
                    first = first &+ word(raw, at) &+ second
                    second = second &+ word(raw, at + 4) &+ first
                }
            }
        }

        private func word(_ raw: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
            let word = raw.loadUnaligned(fromByteOffset: at, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }

        func matches(_ bytes: [UInt8], at place: Int) -> Bool {
            WriteAheadLog.word(bytes, place) == first
                && WriteAheadLog.word(bytes, place + 4) == second
        }
    }
}
