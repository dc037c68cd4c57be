/// Advertisements to test with; all addresses are made up.
enum Advertisements {
    /// An iBeacon in advertising data, behind Flags.
    static let beacon =
        "02 01 06" + "1a ff 4c00 0215 e2c56db5dffb48d2b060d0f5a71096e0 002a 0007 c5"

    /// A legacy report of it, from the made-up static address c1:22:33:44:55:66, RSSI −71 dBm.
    static let event = "04 3e 2a 02 01" + "03 01 665544332 2c1 1e" + beacon + "b9"
}
