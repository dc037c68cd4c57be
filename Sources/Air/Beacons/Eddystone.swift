import Primitives

/// A frame of an Eddystone beacon (Eddystone Protocol Specification; service 0xFEAA). Powers are in dBm at 0 m.
package enum Eddystone: Equatable {
    case uid(EddystoneUID)
    case url(String, power: Int8)
    case telemetry(Telemetry)
    case encryptedTelemetry
    /// A rotating identity that only its owner can resolve.
    case ephemeral([UInt8], power: Int8)

    /// An unencrypted TLM frame; a value is `nil` where the beacon does not measure it.
    package struct Telemetry: Hashable, Sendable {
        package let millivolts: UInt16?
        /// In 1/256 °C.
        package let temperature: Int16?
        /// Advertisements since power-on.
        package let advertisements: UInt32
        /// Tenths of a second since power-on.
        package let uptime: UInt32

        package init(
            millivolts: UInt16?, temperature: Int16?, advertisements: UInt32, uptime: UInt32
        ) {
            self.millivolts = millivolts
            self.temperature = temperature
            self.advertisements = advertisements
            self.uptime = uptime
        }

        /// - Parameter frame: the service data after the service number.
        init?(frame: Bytes) {
            guard frame.count >= 14, frame[0] == Frame.telemetry, frame[1] == 0 else { return nil }
            let millivolts: UInt16 = frame.bigEndian16(at: 2)
            let temperature: UInt16 = frame.bigEndian16(at: 4)
            self.millivolts = millivolts == 0 ? nil : millivolts
            self.temperature =
                temperature == Frame.noTemperature ? nil : Int16(bitPattern: temperature)
            advertisements = frame.bigEndian32(at: 6)
            uptime = frame.bigEndian32(at: 10)
        }

        /// The frame.
        var bytes: [UInt8] {
            var bytes = [Frame.telemetry, 0]
            bytes += (millivolts ?? 0).bigEndianBytes
            let degrees = temperature.map { UInt16(bitPattern: $0) } ?? Frame.noTemperature
            bytes += degrees.bigEndianBytes
            bytes += advertisements.bigEndianBytes
            bytes += uptime.bigEndianBytes
            return bytes
        }
    }

    /// A frame without a static identity, as far as a gateway uses it.
    package enum Anonymous: Hashable, Sendable {
        case telemetry(Telemetry)
        case url
        case ephemeral

        /// The last one among the AD structures that stand before a fault; `nil` when there is none.
        package init?(advertisingData bytes: Bytes) {
            var walk = AdvertisingData()
            var last: Anonymous?
            while let structure = try? walk.next(in: bytes) {
                guard Eddystone.isFrame(structure, of: bytes) else { continue }
                last = Anonymous(frame: bytes.extracting(structure.data.dropFirst(2))) ?? last
            }
            guard let last else { return nil }
            self = last
        }

        /// - Parameter frame: the service data after the service number.
        private init?(frame: Bytes) {
            if let telemetry = Telemetry(frame: frame) {
                self = .telemetry(telemetry)
                return
            }
            switch frame[0] {
            case Frame.url where frame.count >= Frame.urlCount: self = .url
            case Frame.ephemeral where frame.count >= Frame.ephemeralCount: self = .ephemeral
            default: return nil
            }
        }
    }

    package static let service: UInt16 = 0xfeaa

    /// Whether a structure of `bytes` is service data of Eddystone.
    @inline(__always)
    static func isFrame(_ structure: AdvertisingData.Structure, of bytes: Bytes) -> Bool {
        structure.type == ADType.serviceData && structure.data.count > 2
            && bytes.littleEndian16(at: structure.data.lowerBound) == service
    }

    private enum Frame {
        static let url: UInt8 = 0x10
        static let telemetry: UInt8 = 0x20
        static let ephemeral: UInt8 = 0x30
        /// Frame type (1), power (1), scheme (1).
        static let urlCount = 3
        /// Frame type (1), power (1), identifier (8).
        static let ephemeralCount = 10
        /// 0x8000: no thermometer.
        static let noTemperature: UInt16 = 0x8000
    }

    /// The AD structures of a frame: the service among the complete list, and its data.
    static func structures(of frame: [UInt8]) -> [UInt8] {
        let service = Self.service.byteSwapped.bigEndianBytes
        var structures = [3, ADType.completeServices] + service
        structures += [UInt8(truncatingIfNeeded: frame.count + 3), ADType.serviceData] + service
        return structures + frame
    }

    /// - Parameter frame: the service data after the service number.
    package init?(_ frame: Bytes) {
        if let uid = EddystoneUID(frame: frame) {
            self = .uid(uid)
            return
        }
        if let telemetry = Telemetry(frame: frame) {
            self = .telemetry(telemetry)
            return
        }
        guard frame.count >= 2 else { return nil }
        let power = Int8(bitPattern: frame[1])
        switch frame[0] {
        case Frame.url where frame.count >= Frame.urlCount:
            self = .url(Self.expanded(frame.extracting(2..<frame.count).copied()), power: power)
        case Frame.telemetry where frame[1] == 1: self = .encryptedTelemetry
        case Frame.ephemeral where frame.count >= Frame.ephemeralCount:
            self = .ephemeral(frame.extracting(2..<10).copied(), power: power)
        default: return nil
        }
    }

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/",
        ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
    ]

    /// The URL from its encoded form: a scheme number, then characters and numbers of endings.
    private static func expanded(_ bytes: [UInt8]) -> String {
        guard let scheme = bytes.first else { return "" }
        var url = Int(scheme) < schemes.count ? schemes[Int(scheme)] : "?"
        for byte in bytes.dropFirst() {
            if Int(byte) < endings.count {
                url += endings[Int(byte)]
            } else {
                url.unicodeScalars.append((0x21...0x7e).contains(byte) ? Unicode.Scalar(byte) : "?")
            }
        }
        return url
    }
}

/// An Eddystone-UID frame: a static identity, a namespace of 10 bytes and an instance of 6 bytes.
package struct EddystoneUID: Equatable {
    package let identity: BeaconIdentity
    /// The power at 0 m, in dBm.
    package let power: Int8

    private enum Layout {
        static let type: UInt8 = 0x00
        static let namespace = 2
        /// Frame type (1), power (1), namespace (10), instance (6). Many beacons omit the two reserved bytes at the end.
        static let count = 18
        /// The path loss of the first metre, in dB.
        static let firstMetre = 41
    }

    /// - Parameter frame: the service data after the service number.
    package init?(frame: Bytes) {
        guard frame.count >= Layout.count, frame[0] == Layout.type else { return nil }
        power = Int8(bitPattern: frame[1])
        identity = BeaconIdentity(
            .eddystoneUID, prefix: ProximityUUID(in: frame, at: Layout.namespace))
    }

    /// - Parameter data: the data of a service data structure, from the service number on.
    init?(serviceData data: Bytes) {
        guard data.count > 2, data.littleEndian16(at: 0) == Eddystone.service else { return nil }
        self.init(frame: data.extracting(2..<data.count))
    }

    package var frame: BeaconFrame {
        BeaconFrame(identity: identity, power: Int8(clamping: Int(power) - Layout.firstMetre))
    }

    /// The bytes of a frame, with the two reserved ones.
    static func bytes(of frame: BeaconFrame) -> [UInt8] {
        let power = Int8(clamping: Int(frame.power) + Layout.firstMetre)
        return [Layout.type, UInt8(bitPattern: power)] + frame.identity.bytes.prefix(16) + [0, 0]
    }
}
