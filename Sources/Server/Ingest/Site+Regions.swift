import Contract
import Primitives
import ResultStore
import Sightings

/// What comes for the regions of a site.
extension Site {
    /// Takes over regions that have not changed: their windows are not stored. After a step of the clock, those of the future begin
    /// anew.
    func inheritRegions(of former: Site, wall: UnixTime) {
        guard let regions, let other = former.regions, regions.isLike(other),
            !other.isAhead(of: wall)
        else { return }
        self.regions = other
    }

    /// Takes a message for the regions.
    ///
    /// - Returns: `foreign` if no region has the gateway.
    func takeForRegions(
        _ message: SightingsMessage, from gateway: String, open: UnixTime?, wall: UnixTime
    ) -> MessageOutcome {
        let outcome = regions?.take(
            message, in: parts(of: message), from: gateway, notBefore: wall - allowedLateness
        ) { tags.pseudonym($0, at: $1.lowerBound, open: open) }
        return MessageOutcome(outcome ?? .foreign)
    }

    /// Takes the events of regions that an earlier run has stored.
    func restore(_ events: [StoreBatch.RegionEvent]) { regions?.restore(events) }
}
