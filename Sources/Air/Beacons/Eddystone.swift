import Primitives

/// A frame of an Eddystone beacon (Eddystone Protocol Specification; service 0xFEAA).
package enum Eddystone: Equatable {
    /// A static identity: a namespace of 10 bytes and an instance of 6 bytes. The power is in dBm at 0 m.
    case uid(namespace: [UInt8], instance: [UInt8], power: Int8)
    case url(String, power: Int8)
    case telemetry(Telemetry)
    case encryptedTelemetry
    /// A rotating identity that only its owner can resolve.
    case ephemeral([UInt8], power: Int8)

    /// An unencrypted TLM frame; a value is `nil` where the beacon does not measure it.
    package struct Telemetry: Equatable {
        package let millivolts: UInt16?
        /// In 1/256 °C.
        package let temperature: Int16?
        /// Advertisements since power-on.
        package let advertisements: UInt32
        /// Tenths of a second since power-on.
        package let uptime: UInt32
    }

    package static let service: UInt16 = 0xfeaa

    private enum Frame {
        static let uid: UInt8 = 0x00
        static let url: UInt8 = 0x10
        static let telemetry: UInt8 = 0x20
        static let ephemeral: UInt8 = 0x30
        /// 0x8000: no thermometer.
        static let noTemperature: UInt16 = 0x8000
    }

    /// - Parameter frame: the service data after the service number.
    package init?(_ frame: Bytes) {
        guard frame.count >= 2 else { return nil }
        let power = Int8(bitPattern: frame[1])
        switch frame[0] {
        // Many beacons omit the two reserved bytes at the end.
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
