import Beacons
import JSON

/// One element of a message's `sightings`.
package struct SightingMessage: Equatable, Sendable {
    package let identity: BeaconIdentity
    /// In dBm.
    package let measuredPower: Int8
    /// Advertising reports.
    package let count: Int
    /// `nil` when no report had an RSSI.
    package let signal: Signal?
    /// Milliseconds after the window's start, like `lastSeen` and `Signal.maxAt`.
    package let firstSeen: Int64
    package let lastSeen: Int64
    package let senders: Int
    /// Whether the identity is the gateway's own, transmitted by another sender.
    package let isEcho: Bool
    /// The latest that the beacon told of itself.
    package let telemetry: Telemetry?

    package init(
        identity: BeaconIdentity, measuredPower: Int8, count: Int, signal: Signal?,
        firstSeen: Int64,
        lastSeen: Int64, senders: Int, isEcho: Bool = false, telemetry: Telemetry? = nil
    ) {
        self.identity = identity
        self.measuredPower = measuredPower
        self.count = count
        self.signal = signal
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.senders = senders
        self.isEcho = isEcho
        self.telemetry = telemetry
    }

    /// The member `telemetry`, from an Eddystone-TLM frame; a value is `nil` where the beacon does not measure it.
    package struct Telemetry: Equatable, Sendable {
        package let millivolts: UInt16?
        package let celsius: Double?
        /// Since power-on, like `uptime`.
        package let advertisements: UInt32
        package let uptime: Duration
    }

    /// The members `rssi`, `power` and `maxAt`, which come together.
    package struct Signal: Equatable, Sendable {
        /// RSSI values in dBm, and their spread in dB.
        package let min: Int8
        package let max: Int8
        package let mean: Double
        package let standardDeviation: Double
        package let last: Int8
        /// The mean power, in dBm.
        package let powerMean: Double
        package let centroid: Int64
        package let maxAt: Int64

        package init(
            min: Int8, max: Int8, mean: Double, standardDeviation: Double, last: Int8,
            powerMean: Double, centroid: Int64, maxAt: Int64
        ) {
            self.min = min
            self.max = max
            self.mean = mean
            self.standardDeviation = standardDeviation
            self.last = last
            self.powerMean = powerMean
            self.centroid = centroid
            self.maxAt = maxAt
        }
    }
}

extension SightingMessage {
    /// `nil` for a beacon of another kind, and after a fault.
    init?(from reader: inout ObjectReader) {
        guard let format = BeaconIdentity.Format(word: reader.string("type")) else {
            return nil
        }
        let identity = BeaconIdentity(format, from: &reader)
        measuredPower = reader.integer("measuredPower", in: Int8.min...Int8.max)
        count = reader.integer("count", in: 1...Int.max)
        signal = reader.has("rssi") ? Signal(from: &reader) : nil
        firstSeen = reader.integer("firstSeen", in: 0...Int64.max)
        lastSeen = reader.integer("lastSeen", in: 0...Int64.max)
        senders = reader.integer("senders", in: 0...Int.max)
        isEcho = reader.bool("echo", default: false)
        telemetry = reader.optionalObject("telemetry") { Telemetry(from: &$0) }
        guard let identity else { return nil }
        self.identity = identity
    }
}

extension BeaconIdentity {
    /// Reads the members that identify a beacon of `format`; `nil` after a fault.
    fileprivate init?(_ format: Format, from reader: inout ObjectReader) {
        switch format {
        case .iBeacon:
            let uuid = reader.parsed(utf8: "uuid", expecting: "a UUID") {
                ProximityUUID(utf8: Array($0))
            }
            let major = reader.integer("major", in: 0...UInt16.max)
            let minor = reader.integer("minor", in: 0...UInt16.max)
            guard let uuid else { return nil }
            self.init(uuid: uuid, major: major, minor: minor)
        case .eddystoneUID:
            let namespace = reader.hexadecimal("namespace", digits: 20)
            let instance = reader.hexadecimal("instance", digits: 12)
            guard let namespace, let instance, let prefix = ProximityUUID(namespace + instance)
            else { return nil }
            self.init(format, prefix: prefix)
        case .altBeacon:
            guard let id = reader.hexadecimal("id", digits: 40),
                let prefix = ProximityUUID(id.prefix(32)),
                let suffix = UInt32(id.suffix(8), radix: 16)
            else { return nil }
            self.init(format, prefix: prefix, suffix: suffix)
        }
    }
}

extension ObjectReader {
    fileprivate mutating func hexadecimal(_ key: String, digits: Int) -> String? {
        parsed(key, expecting: "\(digits) hexadecimal digits") { text in
            text.utf8.count == digits && text.allSatisfy { $0.isASCII && $0.isHexDigit }
                ? text : nil
        }
    }
}

extension SightingMessage.Telemetry {
    fileprivate init(from reader: inout ObjectReader) {
        millivolts = reader.optionalInteger("millivolts", in: 1...UInt16.max)
        celsius = reader.optionalNumber("celsius", in: -128...128)
        advertisements = reader.integer("advertisements", in: 0...UInt32.max)
        uptime = .milliseconds(
            reader.integer("uptimeMs", in: 0...Int64(UInt32.max) * 100))
    }
}

extension SightingMessage.Signal {
    fileprivate init?(from reader: inout ObjectReader) {
        let rssi = reader.object("rssi") { rssi in
            (
                min: rssi.integer("min", in: Int8.min...Int8.max),
                max: rssi.integer("max", in: Int8.min...Int8.max),
                mean: rssi.number("mean", in: -128...127),
                standardDeviation: rssi.number("stddev", in: 0...255),
                last: rssi.integer("last", in: Int8.min...Int8.max)
            )
        }
        let power = reader.object("power") { power in
            (
                mean: power.number("mean", in: -128...127),
                centroid: power.integer("centroid", in: 0...Int64.max)
            )
        }
        maxAt = reader.integer("maxAt", in: 0...Int64.max)
        guard let rssi, let power else { return nil }
        min = rssi.min
        max = rssi.max
        mean = rssi.mean
        standardDeviation = rssi.standardDeviation
        last = rssi.last
        powerMean = power.mean
        centroid = power.centroid
    }
}
