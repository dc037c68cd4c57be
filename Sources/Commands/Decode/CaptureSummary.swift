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
        /// Microseconds since the Unix epoch, by the capture's clock.
        let first: Int64
        var last: Int64

        mutating func add(_ beacon: IBeacon, _ report: Report, at time: Int64) {
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

    private(set) var events = 0
    private(set) var advertisingEvents = 0
    private(set) var legacyReports = 0
    private(set) var extendedReports = 0
    private(set) var malformed = 0
    private(set) var implausible = 0
    /// Reports with an iBeacon, the implausible left out.
    private(set) var beacons = 0
    private(set) var altBeacons = 0
    private(set) var eddystones = 0
    /// Reports without advertising data.
    private(set) var empty = 0
    /// Packets that the capturing program has lost.
    private(set) var drops: UInt32 = 0
    /// How often the capture's clock went backwards.
    private(set) var stepsBack = 0
    private(set) var senders: [AddressKind: Set<DeviceAddress>] = [:]
    /// The earliest and the latest event, in microseconds since the Unix epoch.
    private(set) var span: ClosedRange<Int64>?
    private var latest = Int64.min
    private var entries: [BeaconIdentity: Entry] = [:]

    var reports: Int { legacyReports + extendedReports }
    var entriesCount: Int { entries.count }

    /// The identities, most reports first.
    var identities: [Entry] {
        entries.values.sorted { left, right in
            left.reports != right.reports
                ? left.reports > right.reports : "\(left.identity)" < "\(right.identity)"
        }
    }

    /// Counts an event; `reports` are those in it if it is an advertising event.
    mutating func on(_ record: Btsnoop.Record, _ reports: EventReports?) {
        events += 1
        drops = max(drops, record.drops)
        let time = record.microseconds
        span = span.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        if time < latest { stepsBack += 1 }
        latest = time
        guard let reports else { return }
        advertisingEvents += 1
        for report in reports.reports { count(report, at: time) }
        guard reports.malformedAt != nil else { return }
        if reports.isExtended { extendedReports += 1 } else { legacyReports += 1 }
        malformed += 1
    }

    private mutating func count(_ report: Report, at time: Int64) {
        if report.isExtended { extendedReports += 1 } else { legacyReports += 1 }
        senders[AddressKind(report.sender), default: []].insert(report.sender)
        if report.data.isEmpty { empty += 1 }
        for structure in report.structures {
            switch structure.content {
            case .altBeacon: altBeacons += 1
            case .eddystone: eddystones += 1
            default: break
            }
        }
        if report.isMalformed { malformed += 1 }
        guard let beacon = report.beacon else { return }
        guard report.rssi.isPlausible else {
            implausible += 1
            return
        }
        beacons += 1
        let identity = beacon.identity
        let new = Entry(
            identity: identity, measuredPower: beacon.measuredPower, first: time, last: time)
        entries[identity, default: new].add(beacon, report, at: time)
    }
}
