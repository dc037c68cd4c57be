/// The acknowledgements that wait until their messages are stored.
struct HeldAcknowledgements {
    /// The messages that may wait; `nil` if the library acknowledges them immediately.
    private let limit: Int?
    private(set) var count = 0

    init(_ reading: DurableReading?) {
        limit = reading.map { max(1, Int($0.receiveMaximum)) }
    }

    var isHolding: Bool { limit != nil }

    /// The number of messages that may be read.
    var room: Int { limit.map { max(0, $0 - count) } ?? .max }

    mutating func received() { if isHolding { count += 1 } }

    mutating func stored() { count = 0 }
}
