import Beacons
import Contract
import Inventory
import JSON
import Primitives
import Ranging

/// The levels of the registry's beacons at the end of the input, and those of the labels.
///
/// No place of a visitor or of staff is computed: `Registry` says whose a beacon is.
struct RangingRun: RecordedRun {
    /// A window in which a gateway heard a beacon.
    private struct Sample {
        let end: UnixTime
        /// dBm.
        let level: Double
    }

    private let plan: FloorPlan
    private let registry: Registry
    private let labels: [LabelRow]
    /// `nil` for the site of the first message.
    private var site: String?
    private let gateways: [String: Int]
    /// By beacon, gateway and the start of the window.
    private var recent: [BeaconIdentity: [Int: [UnixTime: Sample]]] = [:]
    private var powers: [BeaconIdentity: Int8] = [:]
    /// The sums of the labels' levels, by label and gateway.
    private var sums: [[MeanLevel]]
    private var newest: UnixTime?
    var counts = InputSummary()

    /// The levels of so many seconds are averaged, of a beacon that stays.
    private static let memory = Duration.seconds(10)

    private struct MeanLevel {
        var sum = 0.0
        var windows: Set<UnixTime> = []
        var value: Double? { windows.isEmpty ? nil : sum / Double(windows.count) }
    }

    init(_ plan: FloorPlan, _ registry: Registry, labels: [LabelRow], site: String?) {
        (self.plan, self.registry, self.labels, self.site) = (plan, registry, labels, site)
        gateways = Dictionary(
            plan.gateways.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        sums = labels.map { _ in plan.gateways.map { _ in MeanLevel() } }
    }

    mutating func take(_ message: SightingsMessage, from topics: Topics?) -> String? {
        let (name, gateway) = (topics?.site ?? message.site, topics?.gateway ?? message.gateway)
        let place = "\(name)/\(gateway)"
        guard name == site ?? name, let index = gateways[gateway] else {
            counts.note(.foreign, of: place)
            return nil
        }
        site = site ?? name
        guard message.clock == .synced else {
            counts.note(.unsynced, of: place)
            return nil
        }
        counts.note(.new, of: place)
        newest = max(newest ?? message.windowEnd, message.windowEnd)
        let date = UTCTime(message.windowStart).date
        for sighting in message.sightings {
            guard let level = sighting.signal?.powerMean,
                let row = registry.beacon(of: sighting.identity, on: date),
                row.kind.isExpected, let identity = row.identity
            else { continue }
            powers[identity] = row.measuredPower ?? sighting.measuredPower
            note(Sample(end: message.windowEnd, level: level), message.windowStart, identity, index)
        }
        return nil
    }

    /// Places are those of the end of the input.
    mutating func advance() -> [JSON] { [] }

    private mutating func note(
        _ sample: Sample, _ start: UnixTime, _ identity: BeaconIdentity, _ gateway: Int
    ) {
        for (index, label) in labels.enumerated()
        where label.beacon == identity && label.from <= start && sample.end <= label.until {
            if sums[index][gateway].windows.insert(start).inserted {
                sums[index][gateway].sum += sample.level
            }
        }
        guard let newest, sample.end > newest - Self.memory else { return }
        var samples = recent[identity]?[gateway] ?? [:]
        samples[start] = sample
        // Windows of a second: few are older than the memory.
        if samples.count > 64 { samples = samples.filter { $0.value.end > newest - Self.memory } }
        recent[identity, default: [:]][gateway] = samples
    }

    /// The beacons that were heard in the last seconds, in the order of their names.
    func places() -> (fit: PathLossFit, beacons: [RangedBeacon]) {
        let identities = powers.keys.sorted { "\($0)" < "\($1)" }
        let tags = Dictionary(uniqueKeysWithValues: identities.enumerated().map { ($1, $0) })
        let known: [RangingLabel] = zip(labels, sums).compactMap { label, sums in
            tags[label.beacon].map {
                RangingLabel(tag: $0, place: label.place, levels: sums.map(\.value))
            }
        }
        let model = RangingModel(
            plan, labels: known, claimed: identities.map { Double(powers[$0] ?? -59) })
        let beacons = identities.enumerated().compactMap { tag, identity -> RangedBeacon? in
            let levels: [Double?] = plan.gateways.indices.map { mean(of: identity, at: $0) }
            guard let estimate = model.place(levels, power: model.fit.powers[tag]) else {
                return nil
            }
            return RangedBeacon(
                beacon: identity, site: site ?? "", levels: levels, estimate: estimate, plan: plan)
        }
        return (model.fit, beacons)
    }

    private func mean(of identity: BeaconIdentity, at gateway: Int) -> Double? {
        guard let newest, let samples = recent[identity]?[gateway] else { return nil }
        let levels = samples.sorted { $0.key < $1.key }
            .filter { $0.value.end > newest - Self.memory }.map(\.value.level)
        return levels.isEmpty ? nil : levels.reduce(0, +) / Double(levels.count)
    }
}
