/// A controller's answer to a command: zero for success, or an error code (Core 5.4 Vol 1 Part F).
package struct HCIStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let success = HCIStatus(rawValue: 0x00)
    package static let unknownCommand = HCIStatus(rawValue: 0x01)
    package static let hardwareFailure = HCIStatus(rawValue: 0x03)
    package static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    package static let commandDisallowed = HCIStatus(rawValue: 0x0c)
    package static let limitedResources = HCIStatus(rawValue: 0x0d)
    package static let unsupportedFeature = HCIStatus(rawValue: 0x11)
    package static let invalidParameters = HCIStatus(rawValue: 0x12)
    package static let unspecifiedError = HCIStatus(rawValue: 0x1f)
    package static let controllerBusy = HCIStatus(rawValue: 0x3a)
    package static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
}

extension HCIStatus: CustomStringConvertible {
    /// The specification's name of the code, and its number.
    package var description: String {
        let number = "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16)
        return "\(Self.names[self] ?? "error") (\(number))"
    }

    private static let names: [HCIStatus: String] = [
        .success: "Success",
        .unknownCommand: "Unknown HCI Command",
        .hardwareFailure: "Hardware Failure",
        .memoryCapacityExceeded: "Memory Capacity Exceeded",
        .commandDisallowed: "Command Disallowed",
        .limitedResources: "Connection Rejected due to Limited Resources",
        .unsupportedFeature: "Unsupported Feature or Parameter Value",
        .invalidParameters: "Invalid HCI Command Parameters",
        .unspecifiedError: "Unspecified Error",
        .controllerBusy: "Controller Busy",
        .unknownAdvertisingIdentifier: "Unknown Advertising Identifier",
    ]
}
