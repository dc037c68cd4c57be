import Primitives

/// What a frame of an Eddystone beacon says (the Eddystone protocol specification; service 0xFEAA).
enum Eddystone: Equatable {
    /// A static identity: a namespace of ten bytes and an instance of six; power in dBm at 0 m.
    case uid(namespace: [UInt8], instance: [UInt8], power: Int8)
    case url(String, power: Int8)
    case telemetry(Telemetry)
    case encryptedTelemetry
    /// An identity that changes, known to its owner only.
    case ephemeral([UInt8], power: Int8)

    /// An unencrypted TLM frame; `nil` is what the beacon says not to measure.
    struct Telemetry: Equatable {
        let millivolts: UInt16?
        /// In 1/256 °C.
        let temperature: Int16?
        /// Advertisements since power-on.
        let advertisements: UInt32
        /// Tenths of a second since power-on.
        let uptime: UInt32
    }

    static let service: UInt16 = 0xfeaa

    private enum Frame {
        static let uid: UInt8 = 0x00
        static let url: UInt8 = 0x10
        static let telemetry: UInt8 = 0x20
        static let ephemeral: UInt8 = 0x30
        /// 0x8000: no thermometer.
        static let noTemperature: UInt16 = 0x8000
    }

    /// - Parameter frame: the service data behind the service's number.
    init?(_ frame: Bytes) {
        guard frame.count >= 2 else { return nil }
        let power = Int8(bitPattern: frame[1])
        switch frame[0] {
        // The two reserved bytes at the end are missing from many beacons.
        case Frame.uid where frame.count >= 18:
            self = .uid(
                namespace: frame.extracting(2..<12).copied(),
                instance: frame.extracting(12..<18).copied(), power: power)
        case Frame.url where frame.count >= 3:
            self = .url(Self.expanded(frame.extracting(2..<frame.count).copied()), power: power)
        case Frame.telemetry where frame[1] == 0 && frame.count >= 14:
            let millivolts: UInt16 = frame.bigEndian16(at: 2)
            let temperature: UInt16 = frame.bigEndian16(at: 4)
            self = .telemetry(
                Telemetry(
                    millivolts: millivolts == 0 ? nil : millivolts,
                    temperature: temperature == Frame.noTemperature
                        ? nil : Int16(bitPattern: temperature),
                    advertisements: frame.bigEndian32(at: 6), uptime: frame.bigEndian32(at: 10)))
        case Frame.telemetry where frame[1] == 1: self = .encryptedTelemetry
        case Frame.ephemeral where frame.count >= 10:
            self = .ephemeral(frame.extracting(2..<10).copied(), power: power)
        default: return nil
        }
    }

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/",
        ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
    ]

    /// The URL that a scheme's number and characters or endings' numbers stand for.
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
