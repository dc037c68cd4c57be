import Beacons
import Primitives

extension OnAir {
    /// What `gateway` has on the air, as a line of JSON.
    ///
    /// `uuid`, `major`, `minor` and `measuredPower` are there for iBeacons only, `intervalMaxMs` only when the host has
    /// left the controller a choice. It names no device address.
    package static func line(_ all: [OnAir], of gateway: String) -> String {
        let list = all.map(\.json).joined(separator: ",")
        return "{\"gateway\":\"\(gateway)\",\"onAir\":[\(list)]}\n"
    }

    private var json: String {
        let digits = data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var members = [
            "\"handle\":" + (handle.map { "\($0)" } ?? "null"), "\"data\":\"\(digits)\"",
        ]
        if let beacon {
            members += [
                "\"uuid\":\"\(beacon.identity.uuid)\"", "\"major\":\(beacon.identity.major)",
                "\"minor\":\(beacon.identity.minor)", "\"measuredPower\":\(beacon.measuredPower)",
            ]
        }
        members.append("\"intervalMs\":" + Self.milliseconds(interval.lowerBound))
        if interval.upperBound != interval.lowerBound {
            members.append("\"intervalMaxMs\":" + Self.milliseconds(interval.upperBound))
        }
        members += [
            "\"txPowerDbm\":\(txPower)", "\"properties\":\(properties)", "\"channels\":\(channels)",
            "\"sender\":\"\(sender.rawValue >> 48 & 1 == 0 ? "public" : "random")\"",
        ]
        return "{" + members.joined(separator: ",") + "}"
    }

    /// The iBeacon that it is, if it is one.
    var beacon: IBeacon? {
        try? data.withBytes { bytes throws(AdvertisingData.Malformed) in
            try IBeacon(advertisingData: bytes)
        }
    }

    /// An interval without needless digits: 100, 31.25.
    private static func milliseconds(_ units: UInt32) -> String {
        let thousandths = (intervalUnit * units).microseconds
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        return rest == 0 ? "\(whole)" : "\(Double(thousandths) / 1000)"
    }
}
