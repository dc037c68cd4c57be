import Beacons
import Contract
import Facts
import Primitives
import Queueing
import ResultStore
import Results
import Sightings

/// A measurement of a site that goes on over the end of a day, such as that of its regions. The queues have their days: `OpenDay`.
///
/// A further one is one more element of `Site.measurements(of:)`.
protocol SiteMeasurement {
    /// Takes a message of a gateway.
    ///
    /// - Parameters:
    ///   - parts: the parts of its window, of one day each.
    ///   - bound: a window that ends before it is late, also after a restart.
    ///   - pseudonym: the tag of a person's beacon in a part; `nil` if the day of the part is closed.
    ///   - readings: of another measurement's window, which shares its memory if they are the same.
    /// - Returns: `nil` if its times are impossible; `foreign` if the measurement has no such gateway.
    mutating func take(
        _ message: SightingsMessage, in parts: [Range<UnixTime>], from gateway: String,
        notBefore bound: UnixTime, sharing readings: inout PackedReadings?,
        pseudonym: (BeaconIdentity, Range<UnixTime>) -> Tag?
    ) -> FactOutcome?

    /// Whether another call of `advance` has something to do at once.
    var isBehind: Bool { get }

    /// Folds up to the present: a part of it.
    mutating func advance(through second: UnixSecond) -> Site.Results

    /// The present state of each item.
    ///
    /// - Parameter absences: why windows of these gateways are missing.
    mutating func states(
        absences: [String: QueueNow.Reason.Cause], isDurable: Bool
    ) -> [PresentState]

    /// Whether it goes on with what `former` knows, after the configuration was read again, or the clock stepped.
    func isLike(_ former: Self, at wall: UnixTime) -> Bool

    /// Goes on with what `former` knows, by its own layout.
    mutating func takeOver(_ former: Self)
}

extension SiteMeasurement {
    /// The measurement with what the former one knows, if that is of use.
    func inherited(from former: [any SiteMeasurement], at wall: UnixTime) -> Self {
        var heir = self
        if let one = former.lazy.compactMap({ $0 as? Self }).first(where: { isLike($0, at: wall) })
        {
            heir.takeOver(one)
        }
        return heir
    }
}

extension Site {
    /// The measurements beside the queues: those of which the layout has something.
    static func measurements(
        of layout: SiteLayout, _ registries: Registries, allowedLateness: Duration,
        keepsPersons: Bool, wall: UnixTime
    ) -> [any SiteMeasurement] {
        let regions = SiteRegions(
            layout, allowedLateness: allowedLateness, keepsPersons: keepsPersons)
        let ranging = SiteRanging(layout, registries, wall: wall)
        return [regions as (any SiteMeasurement)?, ranging].compactMap(\.self)
    }

    /// Takes over measurements that have not changed: their windows are not stored. After a step of the clock, those of the future
    /// begin anew.
    func inheritMeasurements(of former: Site, wall: UnixTime) {
        edited = former.edited
        if !edited.layouts.isEmpty { useEditedRegions() }
        measurements = measurements.map { $0.inherited(from: former.measurements, at: wall) }
        show(ranging?.zonesOfLabels ?? [])
    }

    /// Takes a message for the measurements beside the queues.
    ///
    /// - Returns: `foreign` if none has the gateway.
    func measure(
        _ message: SightingsMessage, from gateway: String, open: UnixTime?, wall: UnixTime,
        sharing readings: inout PackedReadings?
    ) -> MessageOutcome {
        guard !measurements.isEmpty else { return MessageOutcome(.foreign) }
        let parts = parts(of: message)
        var result = FactOutcome.foreign
        for index in measurements.indices {
            let outcome = measurements[index].take(
                message, in: parts, from: gateway, notBefore: wall - allowedLateness,
                sharing: &readings
            ) { tags.pseudonym($0, at: $1.lowerBound, open: open) }
            if let outcome, result != .new, outcome != .foreign { result = outcome }
        }
        return MessageOutcome(result)
    }

    /// `nil` for a site without regions.
    var regions: SiteRegions? { measurements.lazy.compactMap { $0 as? SiteRegions }.first }

    /// The layout with all zones and regions of the present.
    var listed: SiteLayout {
        var listed = layout
        listed.planZones += zonesOfLabels
        listed.regions = definitions.map(\.layout)
        return listed
    }

    /// Publishes further zones.
    func show(_ zones: [String]) {
        guard zones != zonesOfLabels else { return }
        zonesOfLabels = zones
        states.follow(listed)
    }

    /// `nil` for a site with neither a plan nor a registry.
    var ranging: SiteRanging? { measurements.lazy.compactMap { $0 as? SiteRanging }.first }

    /// Takes the events of regions that an earlier run has stored.
    func restore(_ events: [StoreBatch.RegionEvent]) {
        measurements = measurements.map { one in
            guard var regions = one as? SiteRegions else { return one }
            regions.restore(events)
            return regions
        }
    }
}
