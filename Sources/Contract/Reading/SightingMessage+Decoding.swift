import Beacons
import JSON

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
