import Primitives
import Sightings

extension OutboxAccount {
    /// Ranges beyond this number are joined: a batch that is held too long is sent twice, and nothing worse.
    private static let maxRanges = 1000

    private static let counterPaths: [WritableKeyPath<OutboxCounters, UInt64> & Sendable] = [
        \.published, \.repeated, \.acknowledged, \.refused, \.dropped, \.missed, \.stored, \.merged,
        \.damaged, \.setAside,
    ]

    package func write(to writer: inout ByteWriter) {
        writer.put(nextSeq)
        writer.put(UInt64(min(held.count, Self.maxRanges)))
        for (index, range) in held.prefix(Self.maxRanges).enumerated() {
            let isLast = index == Self.maxRanges - 1
            let end = isLast ? held.last?.upperBound ?? range.upperBound : range.upperBound
            writer.put(range.lowerBound)
            writer.put(end - range.lowerBound)
        }
        for loss in [lost, inMemory] { writer.put(loss) { $0.put($1) } }
        for path in Self.counterPaths { writer.put(counters[keyPath: path]) }
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        self.init()
        nextSeq = try reader.number()
        for _ in 0..<(try reader.count(atMost: UInt64(Self.maxRanges))) {
            let first = try reader.number()
            let (last, overflow) = first.addingReportingOverflow(try reader.number())
            guard !overflow else { throw DecodeError(offset: reader.offset) }
            held.append(first...last)
        }
        lost = try reader.optional { reader throws(DecodeError) in try reader.loss() }
        inMemory = try reader.optional { reader throws(DecodeError) in try reader.loss() }
        for path in Self.counterPaths { counters[keyPath: path] = try reader.number() }
    }
}
