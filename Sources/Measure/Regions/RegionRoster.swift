import Facts
import Primitives

/// The beacons in one region: in while a gateway has them, out when all have lost them.
struct RegionRoster: Equatable {
    /// What the gateways of the region know of a beacon.
    struct Evidence {
        /// Whether a gateway has it that is known or has heard it since it listens, and the last second in which one has heard it.
        var isHeard = false
        var lastHeard: UnixSecond?
        /// Whether a gateway is unknown: it may have the beacon.
        var isAnyUnknown = false
        /// Whether a person carries it.
        var isPerson = false
    }

    /// A person's tag is that of a day: after so long, it is not in the region, also where no gateway can tell.
    private static let longestUnknown = Duration.seconds(86_400)

    /// Since when each is in the region.
    private(set) var inside: [Tag: UnixTime] = [:]
    /// Of the others that may be in it: since when that is unknown.
    private(set) var unknown: [Tag: UnixSecond] = [:]
    /// Those of them that were in the region before a restart, and whether readers know them in it: to be in it again is no event then.
    private(set) var restored: [Tag: Bool] = [:]
    /// How long they may be silent, and until when that is.
    private var patience = Duration.zero
    private var heldUntil: UnixSecond?
    /// The first second after the restart.
    private var restart: UnixSecond?

    /// Takes a beacon that was in the region before a restart, or may have been in it.
    mutating func restore(_ tag: Tag, wasUnknown: Bool, for patience: Duration) {
        unknown[tag] = 0
        restored[tag] = !wasUnknown
        self.patience = patience
    }

    /// Whether a report of the beacon is no entry: it is in the region, or was before a restart.
    func had(_ tag: Tag) -> Bool { restored[tag] != nil || inside[tag] != nil }

    /// - Parameter entered: when the beacon came, if it has come.
    mutating func update(
        _ tag: Tag, _ evidence: Evidence, entered: UnixTime, at second: UnixSecond
    ) -> RegionEvent.Kind? {
        if let since = unknown[tag] {
            let restart = restart ?? second
            self.restart = restart
            if evidence.isHeard, let last = evidence.lastHeard, last >= since {
                unknown[tag] = nil
                inside[tag] = entered
                return restored.removeValue(forKey: tag) == true ? nil : .enter
            }
            guard !evidence.isHeard else { return nil }
            let start = restored[tag] == nil ? since : restart
            let isOver = evidence.isPerson && second - start >= Self.longestUnknown
            guard isOver || !evidence.isAnyUnknown else { return nil }
            if restored[tag] != nil {
                let end = heldUntil ?? second + patience
                heldUntil = end
                guard isOver || second >= end else { return nil }
                restored[tag] = nil
            }
            unknown[tag] = nil
            return .exit
        }
        if inside[tag] == nil {
            guard evidence.isHeard else { return nil }
            inside[tag] = entered
            return .enter
        }
        guard !evidence.isHeard else { return nil }
        inside[tag] = nil
        guard evidence.isAnyUnknown else { return .exit }
        unknown[tag] = second
        return .unknown
    }
}
