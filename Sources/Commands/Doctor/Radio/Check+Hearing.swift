import Beacons
import HCI
import Primitives
import Radio

/// Judgements on what a radio can do, and on what it has heard.
extension Check {
    static func commands(_ family: CommandFamily?) -> Check {
        guard let family else {
            return Check("commands", .skipped, "the controller was not asked")
        }
        return Check("commands", .ok, "the controller is driven with \(family.rawValue) commands")
    }

    /// - Parameter advertises: whether the local file wants to advertise; a layer may want it as well.
    static func together(_ canDoBoth: Bool, advertises: Bool) -> Check {
        if canDoBoth { return Check("together", .ok, "it can scan while it advertises") }
        return Check(
            "together", advertises ? .wrong : .warning,
            "it can't scan while it advertises: use another adapter, or set advertise.enabled to false"
        )
    }

    /// - Parameter references: those that must always be heard.
    static func reports(_ hearing: Hearing, seconds: Int, references: [BeaconIdentity]) -> Check {
        let time = "in \(count(seconds, "second"))"
        guard hearing.reports > 0 else {
            return Check(
                "reports", .wrong,
                "nothing was heard \(time): bring a beacon or a phone near, and if that changes nothing, take the power off the gateway for a moment, or replace the adapter"
            )
        }
        if let missing = references.first(where: { hearing.loudest[$0] == nil }) {
            return Check(
                "reports", .wrong,
                "\(missing) of radio.reference was not heard \(time), though it must always be: look after that beacon, or take it off the list"
            )
        }
        let heard = "\(count(hearing.reports, "report")) \(time)"
        guard let (identity, dBm) = hearing.loudest.max(by: { $0.value < $1.value }) else {
            return Check(
                "reports", .ok,
                "\(heard), \(count(hearing.beacons, "of an iBeacon", plural: "of iBeacons"))")
        }
        return Check(
            "reports", .ok,
            "\(heard), \(hearing.beacons.grouped) of iBeacons; the loudest is \(identity) at \(dBm) dBm"
        )
    }
}
