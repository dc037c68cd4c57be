import Contract
import Facts
import JSON
import Primitives

/// A till's own count: how many people it served since its last message.
///
/// The till is named as its gateway is.
package struct Receipt: Equatable, Sendable {
    package let till: String
    package let count: Int64
    package let at: UnixSecond

    package var time: UnixTime { at.start }

    private static let mostPeople: Int64 = 10_000

    package init(till: String, count: Int64, at: UnixSecond) {
        self.till = till
        self.count = count
        self.at = at
    }

    /// Reads a message of the topic `served`; throws all faults.
    package init(parsing bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: 4096, unknownKeys: .areIgnored
        ) { reader in
            _ = reader.integer("v", in: 1...1)
            return Receipt(
                till: reader.string("till"),
                count: reader.integer("count", in: 0...Self.mostPeople),
                at: UnixSecond(
                    containing: UnixTime(
                        milliseconds: reader.integer(
                            "at", in: 0...UnixTime.endOf9999.milliseconds))))
        }
    }
}
