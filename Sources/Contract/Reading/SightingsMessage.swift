import Primitives
import Sightings

/// A message of the topic `sightings`, as a subscriber reads it (config/contract/README.md).
package struct SightingsMessage: Equatable, Sendable {
    package let site: String
    package let gateway: String
    package let session: String
    package let seq: UInt64
    /// The numbers that the message stands for, when it was merged of several; `seq` is the last of them.
    package let seqs: ClosedRange<UInt64>?
    /// `nil` when the window is whole in this message.
    package let part: Batch.Part?
    /// When the window began and ended.
    package let windowStart: UnixTime
    package let windowEnd: UnixTime
    package let clock: ClockState
    /// `nil` in all parts but the first.
    package let radio: RadioCounts?
    package let state: RadioState
    package let lost: Loss?
    package let sightings: [SightingMessage]

    package init(
        site: String, gateway: String, session: String, seq: UInt64,
        seqs: ClosedRange<UInt64>? = nil,
        part: Batch.Part? = nil, windowStart: UnixTime, windowEnd: UnixTime, clock: ClockState,
        radio: RadioCounts?,
        state: RadioState = .hearing, lost: Loss? = nil, sightings: [SightingMessage]
    ) {
        self.site = site
        self.gateway = gateway
        self.session = session
        self.seq = seq
        self.seqs = seqs
        self.part = part
        self.windowStart = windowStart
        self.windowEnd = windowEnd
        self.clock = clock
        self.radio = radio
        self.state = state
        self.lost = lost
        self.sightings = sightings
    }

    /// The largest message that is read: 10,000 sightings, with room to spare.
    package static let maxBytes = 8 << 20
}
