import Beacons
import HCI
import Primitives

/// The counts of a capture. They match the agent's counters.
struct CaptureSummary {
    /// The reports of one identity.
    struct Entry {
        let identity: BeaconIdentity
        var measuredPower: Int8
        var reports = 0
        var signal = SignalRange()
        var senders: Set<DeviceAddress> = []
        /// On the capture's clock.
        let first: Instant
        var last: Instant

        mutating func add(_ beacon: IBeacon, _ report: Report, at time: Instant) {
            measuredPower = beacon.measuredPower
            reports += 1
            last = time
            signal.add(report.rssi)
            senders.insert(report.sender)
        }
    }

    /// Weakest, strongest and mean of RSSI values in dBm.
    struct SignalRange {
        private(set) var count = 0
        private(set) var min = Int8.max
        private(set) var max = Int8.min
        private var sum = 0

        var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }

        mutating func add(_ rssi: RSSI) {
            guard rssi.isAvailable else { return }
            count += 1
            sum += Int(rssi.dBm)
            min = Swift.min(min, rssi.dBm)
            max = Swift.max(max, rssi.dBm)
        }
    }

    /// The counts of advertising reports.
    struct ReportCounts {
        var legacy = 0
        var extended = 0
        var malformed = 0
        var implausible = 0
        /// Reports with a part of an advertisement that another part completes, or none.
        var fragments = 0
        /// Reports with an iBeacon, without the implausible ones.
        var beacons = 0
        var altBeacons = 0
        var eddystones = 0
        /// Reports without advertising data.
        var empty = 0

        var all: Int { legacy + extended }

        mutating func add(isExtended: Bool) {
            if isExtended { extended += 1 } else { legacy += 1 }
        }
    }

    private(set) var events = 0
    private(set) var advertisingEvents = 0
    private(set) var reports = ReportCounts()
    /// Packets that the capturing program has lost.
    private(set) var drops: UInt32 = 0
    /// How often the capture's clock went backwards.
    private(set) var stepsBack = 0
    private(set) var senders: [AddressKind: Set<DeviceAddress>] = [:]
    /// The earliest and the latest event, on the capture's clock.
    private(set) var span: ClosedRange<Instant>?
    private var latest = Instant(microseconds: .min)
    private var entries: [BeaconIdentity: Entry] = [:]

    var entriesCount: Int { entries.count }

    /// The identities, most reports first.
    var identities: [Entry] {
        entries.values.sorted { left, right in
            left.reports != right.reports
                ? left.reports > right.reports : "\(left.identity)" < "\(right.identity)"
        }
    }

    /// Counts a record; `event` has its reports if it is an advertising event.
    mutating func on(_ record: Btsnoop.Record, _ event: EventReports?) {
        events += 1
        drops = max(drops, record.drops)
        let time = record.instant
        span = span.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        if time < latest { stepsBack += 1 }
        latest = time
        guard let event else { return }
        advertisingEvents += 1
        for report in event.reports { count(report, at: time) }
        guard event.malformedAt != nil else { return }
        reports.add(isExtended: event.isExtended)
        reports.malformed += 1
    }

    private mutating func count(_ report: Report, at time: Instant) {
        reports.add(isExtended: report.isExtended)
        senders[AddressKind(report.sender), default: []].insert(report.sender)
        if report.data.isEmpty { reports.empty += 1 }
        for structure in report.structures {
            switch structure.content {
            case .altBeacon: reports.altBeacons += 1
            case .eddystone: reports.eddystones += 1
            default: break
            }
        }
        if report.isMalformed { reports.malformed += 1 }
        if report.isFragment { reports.fragments += 1 }
        guard let beacon = report.beacon else { return }
        guard report.rssi.isPlausible else {
            reports.implausible += 1
            return
        }
        reports.beacons += 1
        let identity = beacon.identity
        let new = Entry(
            identity: identity, measuredPower: beacon.measuredPower, first: time, last: time)
        entries[identity, default: new].add(beacon, report, at: time)
    }
}
