import Foundation

/// The members of an iBeacon in the virtual radio, in a document and in a report.
struct ShownIdentity: Hashable, CustomStringConvertible {
    var uuid = Gateway.uuid
    var major = 42
    var minor = 7
    var measuredPower = -59
    var intervalMs = 100

    init() {}

    /// An identity that differs from all others in every number.
    init(number: Int) {
        uuid = "00000000-0000-4000-8000-" + String(100_000_000_000 + number)
        major = 1000 + number
        minor = 2000 + number
        measuredPower = -127 + number % 128
        intervalMs = 100 + 10 * (number % 100)
    }

    /// Reads the members of a section or of the air; `nil` if one is missing.
    init?(_ object: [String: Any]) {
        guard let uuid = object["uuid"] as? String, let major = object["major"] as? Int,
            let minor = object["minor"] as? Int, let power = object["measuredPower"] as? Int,
            let intervalMs = object["intervalMs"] as? Int
        else { return nil }
        self.uuid = uuid
        self.major = major
        self.minor = minor
        measuredPower = power
        self.intervalMs = intervalMs
    }

    /// The section `advertise`.
    var section: [String: Any] {
        [
            "uuid": uuid, "major": major, "minor": minor, "measuredPower": measuredPower,
            "intervalMs": intervalMs,
        ]
    }

    /// A document with this identity.
    func document(version: Int) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: ["version": version, "advertise": section] as [String: Any])
        return String(decoding: data, as: UTF8.self)
    }

    var description: String { "\(uuid) \(major) \(minor) \(measuredPower) dBm \(intervalMs) ms" }
}
