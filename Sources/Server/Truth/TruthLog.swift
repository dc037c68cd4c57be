import JSON
import Posix
import Primitives
import Results

/// What a simulation says about the lengths of queues: the lines of `virtual-radio --truth`.
struct TruthLog {
    /// A length that holds until the next point.
    struct Point: Equatable {
        let at: UnixTime
        let people: Int64
    }

    private var points: [String: [Point]] = [:]

    /// Of one queue. The oldest ones beyond it are forgotten.
    private static let mostPoints = 50_000
    private static let mostQueues = 64
    private static let maxLineBytes = 1 << 20

    /// Takes a line; other events than `places` change nothing.
    ///
    /// - Returns: the queues whose length has changed.
    mutating func take(line: [UInt8]) -> [(queue: String, point: Point)] {
        guard let json = try? JSON(parsing: line, maxBytes: Self.maxLineBytes),
            json["event"] == "places", case .integer(let at)? = json["time"],
            case .array(let queues)? = json["queues"]
        else { return [] }
        return queues.compactMap { queue in
            guard case .string(let name)? = queue["queue"],
                case .integer(let people)? = queue["length"],
                add(Point(at: UnixTime(milliseconds: at), people: people), name)
            else { return nil }
            return (name, Point(at: UnixTime(milliseconds: at), people: people))
        }
    }

    private mutating func add(_ point: Point, _ queue: String) -> Bool {
        guard points[queue] != nil || points.count < Self.mostQueues else { return false }
        if let last = points[queue]?.last, last.people == point.people || last.at >= point.at {
            return false
        }
        points[queue, default: []].append(point)
        if (points[queue]?.count ?? 0) > 2 * Self.mostPoints {
            points[queue]?.removeFirst(Self.mostPoints)
        }
        return true
    }

    /// The lengths of a queue in `span`, beginning with the one that held at its start.
    func points(of queue: String, in span: Range<UnixTime>) -> [Point] {
        let all = points[queue] ?? []
        let before = all.last { $0.at <= span.lowerBound }
        return [before].compactMap(\.self)
            + all.filter { $0.at > span.lowerBound && $0.at < span.upperBound }
    }
}

extension TruthLog {
    /// A point in the stream.
    static let members: [ResultMember<(queue: String, point: Point)>] = [
        .name("queue") { $0.queue }, .time("at") { $0.point.at }.published(as: .time),
        .integer("people") { $0.point.people },
    ]

    /// Times, and people in line.
    static let points = ResultType.list(.tuple(2, of: [.init("type", "integer")]))

    /// `[[at, people]]`.
    func json(of queue: String, in span: Range<UnixTime>) -> JSON {
        .array(
            points(of: queue, in: span).map { [.integer($0.at.milliseconds), .integer($0.people)] })
    }
}

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
