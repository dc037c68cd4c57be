import Primitives
import TestVectors
import Testing

@testable import Beacons

@Suite struct AdvertisedFrameTests {
    private static let identity = Advertisements.identity(7)

    private static func frame(_ format: BeaconIdentity.Format) -> AdvertisedFrame {
        .beacon(BeaconFrame(identity: identity.translated(to: format), power: -59))
    }

    @Test("a gateway advertises these bytes")
    func bytes() {
        // Flags; company 0x0118, code BEAC, 20 bytes, reference RSSI, reserved.
        #expect(
            Self.frame(.altBeacon).advertisingData
                == hex(
                    "02 01 06 1b ff 1801 beac e2c56db5dffb48d2b060d0f5a71096e0 002a 0007 c5 00"))
        // Flags; the list of services; frame type, power at 0 m (-18 dBm), namespace, instance, reserved.
        #expect(
            Self.frame(.eddystoneUID).advertisingData
                == hex(
                    "02 01 06 03 03 aafe 17 16 aafe 00 ee e2c56db5d0f5a71096e0 0000002a0007 0000"))
        // 21.5 °C, 77 advertisements, 12.3 s; no battery.
        let telemetry = Eddystone.Telemetry(
            millivolts: nil, temperature: 21 * 256 + 128, advertisements: 77, uptime: 123)
        #expect(
            AdvertisedFrame.telemetry(telemetry).advertisingData
                == hex("02 01 06 03 03 aafe 11 16 aafe 20 00 0000 1580 0000004d 0000007b"))
        #expect(
            Self.frame(.iBeacon).advertisingData
                == IBeacon(identity: Self.identity, measuredPower: -59).advertisingData)
    }

    @Test(
        "an advertised frame is read again",
        arguments: BeaconIdentity.Format.allCases, [-128, -87, -59, 20, 127] as [Int8])
    func readAgain(format: BeaconIdentity.Format, power: Int8) throws {
        let frame = BeaconFrame(identity: Self.identity.translated(to: format), power: power)
        let data = AdvertisedFrame.beacon(frame).advertisingData
        #expect(data.count <= 31)
        let read = try data.withBytes { bytes throws in
            try BeaconFrame(advertisingData: bytes, of: .all)
        }
        // The power at 0 m is 41 dB higher, and 127 dBm at most.
        let expected = format == .eddystoneUID ? min(power, 127 - 41) : power
        #expect(read == BeaconFrame(identity: frame.identity, power: expected))
    }

    @Test("telemetry is read again", arguments: [nil, -32_767, -1, 0, 5504] as [Int16?])
    func telemetry(temperature: Int16?) {
        let telemetry = Eddystone.Telemetry(
            millivolts: temperature == nil ? 2950 : nil, temperature: temperature,
            advertisements: .max, uptime: 1)
        let read = AdvertisedFrame.telemetry(telemetry).advertisingData.withBytes {
            Eddystone.Anonymous(advertisingData: $0)
        }
        #expect(read == .telemetry(telemetry))
    }
}
