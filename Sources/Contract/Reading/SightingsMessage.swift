import JSON
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

extension SightingsMessage {
    /// Reads a message. It requires the contract's members, and ignores others.
    package init(decoding bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, unknownKeys: .areIgnored
        ) { reader in
            SightingsMessage(from: &reader)
        }
    }

    private init?(from reader: inout ObjectReader) {
        _ = reader.integer("v", in: 1...1)
        site = reader.string("site")
        gateway = reader.string("gateway")
        session = reader.string("session")
        seq = reader.integer("seq", in: 0...UInt64.max)
        seqs = reader.range("seqs", upTo: seq)
        part = reader.optionalObject("part") { part in
            Batch.Part(
                index: part.integer("index", in: 0...Int.max),
                of: part.integer("of", in: 1...Int.max))
        }
        let window = reader.object("window") { window in
            (
                start: window.integer("start", in: 0...Int64.max),
                end: window.integer("end", in: 0...Int64.max)
            )
        }
        let radio = reader.optionalObject("radio") { radio in
            (
                state: radio.choice("state", default: StateWord.hearing),
                counts: RadioCounts(from: &radio)
            )
        }
        lost = reader.optionalObject("lost") { lost in Loss(from: &lost) }
        // An unknown kind of beacon reads as `nil`, without a fault.
        let elements: [SightingMessage?] = reader.requiredObjects("sightings") { element in
            .some(SightingMessage(from: &element))
        }
        sightings = elements.compactMap(\.self)
        guard let clock = reader.choice("clock", of: ClockState.self), let window else {
            return nil
        }
        self.clock = clock
        windowStart = UnixTime(milliseconds: window.start)
        windowEnd = UnixTime(milliseconds: window.end)
        self.radio = radio?.counts
        state = radio?.state == .deaf ? .deaf : .hearing
    }

    private enum StateWord: String, CaseIterable {
        case hearing
        case deaf
    }
}

extension ObjectReader {
    fileprivate mutating func requiredObjects<Value>(
        _ key: String, _ body: (inout ObjectReader) -> Value?
    ) -> [Value] {
        if !has(key) { note(key, .missing, "\(key) is required") }
        return objects(key, atMost: .max, body)
    }
}

extension Loss {
    fileprivate init(from reader: inout ObjectReader) {
        self.init(
            batches: reader.integer("batches", in: 0...UInt64.max),
            fromSeq: reader.integer("fromSeq", in: 0...UInt64.max),
            toSeq: reader.integer("toSeq", in: 0...UInt64.max),
            reason: Reason(rawValue: reader.string("reason")))
    }
}

extension RadioCounts {
    fileprivate init(from reader: inout ObjectReader) {
        self.init()
        reports = reader.integer("reports", in: 0...Int.max)
        beacons = reader.integer("beacons", in: 0...Int.max)
        filtered = reader.integer("filtered", in: 0...Int.max)
        malformed = reader.integer("malformed", in: 0...Int.max)
        implausible = reader.integer("implausible", in: 0...Int.max)
        dropped = reader.integer("dropped", in: 0...Int.max)
        fragments = reader.integer("fragments", in: 0...Int.max, default: 0)
        untracked = reader.integer("untracked", in: 0...Int.max, default: 0)
        unresolvedSenders = reader.integer("unresolvedSenders", in: 0...Int.max, default: 0)
        identitiesPerSender = reader.integer("identitiesPerSender", in: 0...Int.max, default: 0)
    }
}
