import Beacons
import Glibc
import HCI
import JSON
import Primitives
import Terminal

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
        /// Reports with the beginning of an iBeacon, which is none without its end.
        var cutBeacons = 0
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
            case .cutIBeacon: reports.cutBeacons += 1
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

extension CaptureSummary {
    /// The summary for programs: a line for the capture, and one for each identity.
    func json(file: String, kind: String) -> [JSON] {
        let total = JSON.object([
            .init("type", .string("capture")), .init("file", .string(file)),
            .init("kind", .string(kind)),
            .init("start", milliseconds(span?.lowerBound)),
            .init("end", milliseconds(span?.upperBound)), .init("events", .integer(events)),
            .init("advertisingEvents", .integer(advertisingEvents)),
            .init("reports", .integer(reports.all)), .init("legacy", .integer(reports.legacy)),
            .init("extended", .integer(reports.extended)), .init("empty", .integer(reports.empty)),
            .init("malformed", .integer(reports.malformed)),
            .init("implausible", .integer(reports.implausible)),
            .init("fragments", .integer(reports.fragments)),
            .init("beacons", .integer(reports.beacons)),
            .init("cutBeacons", .integer(reports.cutBeacons)),
            .init("eddystone", .integer(reports.eddystones)),
            .init("altBeacon", .integer(reports.altBeacons)),
            .init("senders", .integer(senders.values.reduce(0) { $0 + $1.count })),
            .init("lost", .integer(Int(drops))), .init("clockStepsBack", .integer(stepsBack)),
        ])
        return [total] + identities.map(json)
    }

    private func json(_ entry: Entry) -> JSON {
        let signal = entry.signal
        let rssi = JSON.object([
            .init("min", .integer(Int(signal.min))), .init("max", .integer(Int(signal.max))),
            .init("mean", .number((signal.mean * 100).rounded() / 100)),
        ])
        return .object(
            [
                .init("type", .string("ibeacon")),
                .init("uuid", .string("\(entry.identity.uuid)")),
                .init("major", .integer(Int(entry.identity.major))),
                .init("minor", .integer(Int(entry.identity.minor))),
                .init("measuredPower", .integer(Int(entry.measuredPower))),
                .init("count", .integer(entry.reports)),
            ] + (signal.count > 0 ? [.init("rssi", rssi)] : []) + [
                .init("senders", .integer(entry.senders.count)),
                .init("firstSeen", milliseconds(entry.first)),
                .init("lastSeen", milliseconds(entry.last)),
            ])
    }

    private func milliseconds(_ instant: Instant?) -> JSON {
        instant.map { .integer($0.milliseconds) } ?? .null
    }
}

/// The kind of a file, for a program that reads a capture (stat(2)).
enum FileKind: Equatable {
    case nothing
    case empty
    case file
    /// A file without random access; the text has an article.
    case other(String)

    /// An unreadable file is a `file`: its open(2) reports the cause.
    init(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = errno == ENOENT ? .nothing : .file
            return
        }
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: status.st_size == 0 ? .empty : .file
            case S_IFDIR: .other("a folder")
            case S_IFIFO: .other("a pipe")
            case S_IFSOCK: .other("a socket")
            default: .other("a device")
            }
    }
}
