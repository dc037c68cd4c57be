import Posix

/// A simulation's truth, read from its file as it grows.
final class TruthSource {
    private(set) var log = TruthLog()
    private let file: Descriptor
    /// The beginning of a line whose end is not written yet.
    private var rest: [UInt8] = []
    private var piece = [UInt8](repeating: 0, count: 1 << 16)

    /// A longer line is no line of a truth.
    private static let maxLineBytes = 1 << 20
    /// The most pieces that one call reads.
    private static let mostPieces = 64

    init(_ path: String) throws(Errno) { file = try Descriptor.open(reading: path) }

    /// Reads what was written since the last call.
    ///
    /// - Returns: the queues whose length has changed.
    func advance() -> [(queue: String, point: TruthLog.Point)] {
        lines().flatMap { log.take(line: $0) }
    }

    private func lines() -> [[UInt8]] {
        let number = file.rawValue
        for _ in 0..<Self.mostPieces {
            let read = piece.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            guard case .success(let count?) = read, count > 0 else { break }
            rest += piece.prefix(count)
        }
        let newline = UInt8(ascii: "\n")
        guard let end = rest.lastIndex(of: newline) else {
            if rest.count > Self.maxLineBytes { rest = [] }
            return []
        }
        let complete = rest[..<end].split(separator: newline).map(Array.init)
        rest.removeFirst(end + 1)
        return complete
    }
}
