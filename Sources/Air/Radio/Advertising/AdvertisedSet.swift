import Beacons
import HCI
import Primitives

/// What one advertising set of the controller sends: its frames in turn. A legacy controller has one set.
struct AdvertisedSet: Equatable {
    /// The gateway's sets count from 0.
    let index: Int
    /// At least one.
    let beacons: [BeaconFrame]
    /// Whether it also sends telemetry.
    let hasTelemetry: Bool

    /// Of so many turns, the last one has telemetry.
    private static let cycle = 10

    var hasTurns: Bool { hasTelemetry || beacons.count > 1 }

    /// The frame in force from the start.
    var first: AdvertisedFrame { .beacon(beacons[0]) }

    func isTelemetry(inTurn turn: Int) -> Bool {
        hasTelemetry && turn % Self.cycle == Self.cycle - 1
    }

    /// The frame of a turn, from 0.
    ///
    /// - Parameter telemetry: the gateway's state.
    func frame(
        inTurn turn: Int, telemetry: @autoclosure () -> Eddystone.Telemetry
    ) -> AdvertisedFrame {
        if isTelemetry(inTurn: turn) { return .telemetry(telemetry()) }
        let earlier = hasTelemetry ? turn / Self.cycle : 0
        return .beacon(beacons[(turn - earlier) % beacons.count])
    }

    func contains(_ frame: AdvertisedFrame) -> Bool {
        switch frame {
        case .beacon(let frame): beacons.contains(frame)
        case .telemetry: hasTelemetry
        }
    }
}

extension Advertising {
    /// The formats' sets on an extended controller, or all frames in one set on a legacy one.
    func sets(_ family: CommandFamily) -> [AdvertisedSet] {
        let formats = BeaconIdentity.Format.allCases.filter { self.formats.contains($0.set) }
        switch family {
        case .legacy:
            let frames = formats.map(frame)
            guard !frames.isEmpty else { return [] }
            return [
                AdvertisedSet(
                    index: 0, beacons: frames, hasTelemetry: formats.contains(.eddystoneUID))
            ]
        case .extended:
            return formats.map { format in
                AdvertisedSet(
                    index: Int(format.rawValue), beacons: [frame(of: format)],
                    hasTelemetry: format == .eddystoneUID)
            }
        }
    }

    /// The identities that the gateway advertises.
    package var identities: [BeaconIdentity] {
        BeaconIdentity.Format.allCases.filter { formats.contains($0.set) }
            .map { beacon.identity.translated(to: $0) }
    }

    private func frame(of format: BeaconIdentity.Format) -> BeaconFrame {
        BeaconFrame(identity: beacon.identity.translated(to: format), power: beacon.measuredPower)
    }

    /// How long a set sends one of several frames: three advertisements, and not below 300 ms.
    var turn: Duration { max(.milliseconds(300), .microseconds(Int64(interval.units) * 1875)) }
}

extension BeaconIdentity.Format {
    fileprivate var set: BeaconFormats { BeaconFormats(self) }
}

/// When the sets with several frames send the next ones.
struct FrameTurns {
    private(set) var due: Instant?
    /// Turns since the advertising began.
    private(set) var number = 0
    private var began: Instant?

    /// Begins again, or goes on.
    mutating func schedule(after turn: Duration, at now: Instant) {
        if began == nil { began = now }
        due = now + turn
    }

    mutating func next() { number = nextNumber }

    private var nextNumber: Int { number < .max ? number + 1 : 0 }

    /// Whether a set's next turn has telemetry, and has come.
    func isTelemetryDue(in sets: [AdvertisedSet], at now: Instant) -> Bool {
        guard let due, due <= now else { return false }
        return sets.contains { $0.isTelemetry(inTurn: nextNumber) }
    }

    mutating func stop() {
        due = nil
        number = 0
    }

    /// The gateway's own telemetry: it has a mains supply, and does not count its advertisements one by one.
    ///
    /// - Parameters:
    ///   - now: on a clock that begins with the machine.
    ///   - temperature: in 1/256 °C.
    func telemetry(
        of advertising: Advertising, temperature: Int16?, at now: Instant
    ) -> Eddystone.Telemetry {
        let elapsed = began.map { now - $0 } ?? .zero
        let count = elapsed.microseconds / max(1, Int64(advertising.interval.units) * 625)
        return Eddystone.Telemetry(
            millivolts: nil, temperature: temperature,
            advertisements: UInt32(truncatingIfNeeded: count),
            uptime: UInt32(truncatingIfNeeded: now.microseconds / 100_000))
    }
}
