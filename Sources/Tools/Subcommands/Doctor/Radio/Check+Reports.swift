import Beacons
import Diagnosis
import HCI
import Primitives
import Radio

/// Checks of the abilities of a radio and of its reports.
extension Check {
    static func commands(_ family: CommandFamily?) -> Check {
        guard let family else {
            return Check("commands", .skipped, "the running agent uses the controller")
        }
        return Check("commands", .ok, "the controller is driven with \(family.rawValue) commands")
    }

    /// - Parameter random: the address that stands for a public one.
    static func address(_ random: DeviceAddress) -> Check {
        Check(
            "address", .ok,
            "the controller has no public address (00:00:00:00:00:00);"
                + " the agent uses the random static address \(random.text)")
    }

    /// - Parameter advertises: whether the local file enables advertising. A layer can enable it as well.
    static func together(_ canDoBoth: Bool, advertises: Bool) -> Check {
        if canDoBoth { return Check("together", .ok, "it can scan while it advertises") }
        return Check(
            "together", advertises ? .wrong : .warning,
            "it can't scan while it advertises: use another adapter, or set advertise.enabled to false"
        )
    }

    /// - Parameter references: beacons that are always on the air.
    static func reports(_ counts: ReportCounts, seconds: Int, references: [BeaconIdentity]) -> Check
    {
        let time = "in \(count(seconds, "second"))"
        guard counts.reports > 0 else {
            return Check(
                "reports", .wrong,
                "nothing was heard \(time): test with a beacon or phone nearby; if nothing is heard, disconnect the power of the gateway for some seconds or replace the adapter"
            )
        }
        if let missing = references.first(where: { counts.strongest[$0] == nil }) {
            return Check(
                "reports", .wrong,
                "\(missing) of radio.reference was not heard \(time): check this beacon, or remove it from the list"
            )
        }
        let heard = "\(count(counts.reports, "report")) \(time)"
        guard let (identity, dBm) = counts.strongest.max(by: { $0.value < $1.value }) else {
            return Check(
                "reports", .ok,
                "\(heard), \(count(counts.beacons, "of an iBeacon", plural: "of iBeacons"))")
        }
        return Check(
            "reports", .ok,
            "\(heard), \(counts.beacons.grouped) of iBeacons; the strongest is \(identity) at \(dBm) dBm"
        )
    }
}

/// The advertising reports of a radio in some seconds.
struct ReportCounts: Equatable {
    /// All advertising reports.
    var reports = 0
    /// Reports of iBeacons.
    var beacons = 0
    /// The highest RSSI of each identity, in dBm; at most `mostIdentities`.
    var strongest: [BeaconIdentity: Int8] = [:]

    /// Limits the memory if identities are forged.
    private static let mostIdentities = 10_000

    /// Counts the reports of an advertising event.
    mutating func add(_ event: Bytes) {
        guard var walk = AdvertisingReports(event: event) else { return }
        // A malformed report ends the walk; the reports before it count.
        while let report = try? walk.next(in: event) {
            reports += 1
            let data = event.extracting(report.data)
            guard let beacon = try? IBeacon(advertisingData: data) else { continue }
            beacons += 1
            guard report.rssi.isAvailable, report.rssi.isPlausible else { continue }
            add(beacon.identity, at: report.rssi.dBm)
        }
    }

    private mutating func add(_ identity: BeaconIdentity, at dBm: Int8) {
        if let before = strongest[identity] {
            strongest[identity] = max(before, dBm)
        } else if strongest.count < Self.mostIdentities {
            strongest[identity] = dBm
        }
    }
}
