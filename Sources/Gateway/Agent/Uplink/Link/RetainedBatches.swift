/// The batches of the session that no uplink has released yet, in the order of their numbers.
///
/// A new uplink gets all of them again. The bound is the number of batches and their bytes; a batch beyond it is refused, and
/// the gap in the numbers is declared lost.
struct RetainedBatches {
    struct Batch: Equatable {
        let seq: UInt64
        /// The stored form.
        fileprivate(set) var stored: [UInt8]
        /// The most bytes of the stored form after a decision.
        fileprivate let maxBytes: Int
        /// Whether an earlier uplink may have sent it.
        fileprivate(set) var isDecided = false

        fileprivate init(seq: UInt64, stored: [UInt8]) {
            self.seq = seq
            self.stored = stored
            maxBytes = stored.count + RetainedBatches.maxDecision
        }
    }

    static let maxBytes = 16 << 20
    /// A stamp and a loss add fewer bytes to a batch.
    fileprivate static let maxDecision = 256

    private let maxCount: Int
    private var batches: [Batch] = []
    /// The number of batches that the present uplink was sent; they are the first ones, unless it has released some.
    private var sent = 0
    /// The number of batches that the present uplink was sent and has released.
    private var released: UInt64 = 0
    private(set) var bytes = 0

    init(maxCount: Int) { self.maxCount = maxCount }

    var count: Int { batches.count }
    var hasUnsent: Bool { sent < batches.count }

    /// - Returns: whether there was room.
    mutating func append(_ seq: UInt64, _ stored: [UInt8]) -> Bool {
        guard batches.count < maxCount, bytes + stored.count <= Self.maxBytes else { return false }
        batches.append(Batch(seq: seq, stored: stored))
        bytes += stored.count
        return true
    }

    /// The next batch for the present uplink, which counts as sent.
    mutating func takeNext() -> Batch? {
        guard hasUnsent else { return nil }
        defer { sent += 1 }
        return batches[sent]
    }

    /// The message of a batch is decided: an uplink that follows gets this form.
    mutating func decide(_ seq: UInt64, _ stored: [UInt8]) {
        guard let index = batches.firstIndex(where: { $0.seq == seq }),
            stored.count <= batches[index].maxBytes
        else { return }
        bytes += stored.count - batches[index].stored.count
        batches[index].stored = stored
    }

    /// Forgets what the present uplink has received and no longer holds.
    ///
    /// - Parameter received: the number of batches that it has received.
    mutating func release(received: UInt64, holds: (UInt64) -> Bool) {
        let known = min(
            sent, Int(clamping: received.subtractingReportingOverflow(released).partialValue))
        guard received >= released, known > 0 else { return }
        let kept = batches[..<known].filter { holds($0.seq) }
        for batch in batches[..<known] { bytes -= batch.stored.count }
        for batch in kept { bytes += batch.stored.count }
        batches.replaceSubrange(..<known, with: kept)
        sent -= known - kept.count
        released += UInt64(known - kept.count)
    }

    /// A new uplink needs all of them again.
    mutating func restart() {
        for index in 0..<sent { batches[index].isDecided = true }
        (sent, released) = (0, 0)
    }
}
