/// A controller's answer to a command: zero for success, or an error code (Core 5.4 Vol 1 Part F).
package struct Status: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let success = Status(rawValue: 0x00)
    package static let unknownCommand = Status(rawValue: 0x01)
    package static let hardwareFailure = Status(rawValue: 0x03)
    package static let memoryCapacityExceeded = Status(rawValue: 0x07)
    package static let commandDisallowed = Status(rawValue: 0x0c)
    package static let limitedResources = Status(rawValue: 0x0d)
    package static let unsupportedFeature = Status(rawValue: 0x11)
    package static let invalidParameters = Status(rawValue: 0x12)
    package static let unspecifiedError = Status(rawValue: 0x1f)
    package static let controllerBusy = Status(rawValue: 0x3a)
    package static let unknownAdvertisingIdentifier = Status(rawValue: 0x42)
}

extension Status: CustomStringConvertible {
    /// The specification's name of the code, and its number.
    package var description: String {
        let number = "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16)
        return "\(Self.names[self] ?? "error") (\(number))"
    }

    private static let names: [Status: String] = [
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
