/// The log that SQLite keeps beside a file (sqlite.org/fileformat2.html, section 4): its bytes after a kill.
///
/// SQLite takes the first frame that is not as its checksum says for the end of the log, since that is where a write was cut
/// short. Where commits follow, it was not: the frame was damaged later, and all that was committed behind it would vanish.
struct WriteAheadLog {
    private enum Header {
        static let bytes = 32
        /// The last bit says in which order the bytes of a word are summed up: the highest first.
        static let magic: UInt32 = 0x377f_0682
        static let page = 8
        static let salts = 16
        static let sum = 24
    }

    private enum Frame {
        static let head = 24
        /// The size of the file after a commit; zero in a frame that ends none.
        static let commit = 4
        static let salts = 8
        static let sum = 16
    }

    private typealias Sum = (UInt32, UInt32)

    private var bytes: [UInt8]
    private let page: Int
    private let isBigEndian: Bool

    /// - Returns: `nil` where nothing can be made of it.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= Header.bytes else { return nil }
        let magic = Self.word(bytes, at: 0)
        page = Int(Self.word(bytes, at: Header.page))
        guard magic & ~1 == Header.magic, (512...65_536).contains(page), page % 8 == 0 else {
            return nil
        }
        isBigEndian = magic & 1 == 1
    }

    /// The log with checksums that let SQLite read it to its last commit; `nil` where it does so anyway.
    var mended: [UInt8]? {
        let frames = Array(
            stride(
                from: Header.bytes, through: bytes.count - Frame.head - page,
                by: Frame.head + page))
        let end = endAsRead(frames)
        // Commits that follow on what comes before them, damaged or not.
        let last = frames.last { (at: Int) -> Bool in
            at > end && word(at + Frame.commit) != 0 && belongs(at)
                && sum(ofFrame: at, after: stored(before: at)) == stored(at + Frame.sum)
        }
        guard let last else { return nil }
        var log = self
        var chain = stored(Header.sum)
        for at in frames where at <= last {
            for index in 0..<8 { log.bytes[at + Frame.salts + index] = bytes[Header.salts + index] }
            chain = log.sum(ofFrame: at, after: chain)
            log.put(chain, at: at + Frame.sum)
        }
        return log.bytes
    }

    /// The first frame that SQLite does not read.
    private func endAsRead(_ frames: [Int]) -> Int {
        var sum = stored(Header.sum)
        for at in frames {
            guard belongs(at), self.sum(ofFrame: at, after: sum) == stored(at + Frame.sum) else {
                return at
            }
            sum = stored(at + Frame.sum)
        }
        return bytes.count
    }

    /// Whether a frame is of this log, not of one that was here before.
    private func belongs(_ at: Int) -> Bool {
        stored(at + Frame.salts) == stored(Header.salts)
    }

    private func stored(before at: Int) -> Sum {
        stored(at == Header.bytes ? Header.sum : at - page - Frame.head + Frame.sum)
    }

    private func sum(ofFrame at: Int, after sum: Sum) -> Sum {
        let head = add(at..<at + Frame.salts, to: sum)
        return add(at + Frame.head..<at + Frame.head + page, to: head)
    }

    private func add(_ range: Range<Int>, to sum: Sum) -> Sum {
        var (first, second) = sum
        for at in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            let (one, two) = (word(at), word(at + 4))
            first = first &+ (isBigEndian ? one : one.byteSwapped) &+ second
            second = second &+ (isBigEndian ? two : two.byteSwapped) &+ first
        }
        return (first, second)
    }

    private func stored(_ at: Int) -> Sum { (word(at), word(at + 4)) }

    private func word(_ at: Int) -> UInt32 { Self.word(bytes, at: at) }

    private static func word(_ bytes: [UInt8], at: Int) -> UInt32 {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func put(_ sum: Sum, at: Int) {
        for index in 0..<4 {
            bytes[at + index] = UInt8(truncatingIfNeeded: sum.0 >> UInt32(24 - 8 * index))
            bytes[at + 4 + index] = UInt8(truncatingIfNeeded: sum.1 >> UInt32(24 - 8 * index))
        }
    }
}
