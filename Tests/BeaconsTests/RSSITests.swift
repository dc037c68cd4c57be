import Testing

@testable import Beacons

@Suite struct RSSITests {
    @Test(
        "127 means not available, and other values above +20 dBm are implausible",
        arguments: [
            (Int8(-128), true, true), (-105, true, true), (0, true, true), (12, true, true),
            (20, true, true), (21, true, false), (29, true, false), (126, true, false),
            (127, false, true),
        ])
    func rules(dBm: Int8, isAvailable: Bool, isPlausible: Bool) {
        let rssi = RSSI(dBm: dBm)
        #expect(rssi.isAvailable == isAvailable)
        #expect(rssi.isPlausible == isPlausible)
        #expect((rssi == .notAvailable) == !isAvailable)
    }
}
