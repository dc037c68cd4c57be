import JSON
import Primitives
import Results

/// The numbers of a result's restatements: `rev` rises whenever a period is published with other contents.
package struct Restatements {
    /// The last publication of a period.
    private struct Published {
        var rev: Int
        /// Of its contents.
        var digest: UInt64
    }

    /// By queue and start, of periods that are not final.
    private var published: [String: [UnixTime: Published]] = [:]

    package init() {}

    /// Takes a period that was published before a restart: the document of the topic `minutes`.
    package mutating func restore(_ document: JSON) {
        guard case .string(let queue) = document["queue"],
            case .integer(let start) = document["start"],
            case .integer(let rev) = document["rev"]
        else { return }
        published[queue, default: [:]][UnixTime(milliseconds: start)] = Published(
            rev: Int(clamping: rev),
            digest: Self.digest(MinuteResult.kind.contents(of: document)))
    }

    /// - Returns: the result to publish; `nil` if the period is provisional and unchanged.
    package mutating func result(
        of period: QueuePeriod, site: String, isFinal: Bool
    ) -> MinuteResult? {
        let digest = Self.digest(
            MinuteResult(site: site, period: period, rev: 0, isFinal: isFinal).contents)
        let start = period.span.lowerBound
        let before = published[period.queue]?[start]
        let isChanged = before?.digest != digest
        let rev = (before?.rev ?? 0) + (isChanged ? 1 : 0)
        published[period.queue, default: [:]][start] =
            isFinal ? nil : Published(rev: rev, digest: digest)
        guard isChanged || isFinal else { return nil }
        return MinuteResult(site: site, period: period, rev: rev, isFinal: isFinal)
    }

    /// FNV-1a, 64 bits.
    private static func digest(_ contents: JSON) -> UInt64 {
        contents.bytes.reduce(0xcbf2_9ce4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x0100_0000_01b3
        }
    }
}
