/// A command's number: group in the upper six bits, command in the lower ten (Core 5.4 Vol 4 Part E 5.4.1).
package struct Opcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No command: the opcode of events that only grant credits.
    package static let none = Opcode(rawValue: 0x0000)

    package static let setEventMask = Opcode(rawValue: 0x0c01)
    package static let reset = Opcode(rawValue: 0x0c03)
    package static let readLocalVersion = Opcode(rawValue: 0x1001)
    package static let readLocalSupportedCommands = Opcode(rawValue: 0x1002)
    package static let readDeviceAddress = Opcode(rawValue: 0x1009)

    package static let leSetEventMask = Opcode(rawValue: 0x2001)
    package static let leReadLocalSupportedFeatures = Opcode(rawValue: 0x2003)
    package static let leSetRandomAddress = Opcode(rawValue: 0x2005)
    package static let leSetAdvertisingParameters = Opcode(rawValue: 0x2006)
    package static let leSetAdvertisingData = Opcode(rawValue: 0x2008)
    package static let leSetAdvertisingEnable = Opcode(rawValue: 0x200a)
    package static let leSetScanParameters = Opcode(rawValue: 0x200b)
    package static let leSetScanEnable = Opcode(rawValue: 0x200c)
    package static let leReadSupportedStates = Opcode(rawValue: 0x201c)

    package static let leSetAdvertisingSetRandomAddress = Opcode(rawValue: 0x2035)
    package static let leSetExtendedAdvertisingParameters = Opcode(rawValue: 0x2036)
    package static let leSetExtendedAdvertisingData = Opcode(rawValue: 0x2037)
    package static let leSetExtendedAdvertisingEnable = Opcode(rawValue: 0x2039)
    package static let leRemoveAdvertisingSet = Opcode(rawValue: 0x203c)
    package static let leClearAdvertisingSets = Opcode(rawValue: 0x203d)
    package static let leSetExtendedScanParameters = Opcode(rawValue: 0x2041)
    package static let leSetExtendedScanEnable = Opcode(rawValue: 0x2042)
}

extension Opcode: CustomStringConvertible {
    /// The specification's name of the command, and its number.
    package var description: String {
        let digits = String(rawValue, radix: 16)
        let number = "0x" + String(repeating: "0", count: 4 - digits.count) + digits
        return Self.names[self].map { "\($0) (\(number))" } ?? "command \(number)"
    }

    private static let names: [Opcode: String] = [
        .setEventMask: "Set Event Mask",
        .reset: "Reset",
        .readLocalVersion: "Read Local Version Information",
        .readLocalSupportedCommands: "Read Local Supported Commands",
        .readDeviceAddress: "Read BD_ADDR",
        .leSetEventMask: "LE Set Event Mask",
        .leReadLocalSupportedFeatures: "LE Read Local Supported Features",
        .leSetRandomAddress: "LE Set Random Address",
        .leSetAdvertisingParameters: "LE Set Advertising Parameters",
        .leSetAdvertisingData: "LE Set Advertising Data",
        .leSetAdvertisingEnable: "LE Set Advertising Enable",
        .leSetScanParameters: "LE Set Scan Parameters",
        .leSetScanEnable: "LE Set Scan Enable",
        .leReadSupportedStates: "LE Read Supported States",
        .leSetAdvertisingSetRandomAddress: "LE Set Advertising Set Random Address",
        .leSetExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters",
        .leSetExtendedAdvertisingData: "LE Set Extended Advertising Data",
        .leSetExtendedAdvertisingEnable: "LE Set Extended Advertising Enable",
        .leRemoveAdvertisingSet: "LE Remove Advertising Set",
        .leClearAdvertisingSets: "LE Clear Advertising Sets",
        .leSetExtendedScanParameters: "LE Set Extended Scan Parameters",
        .leSetExtendedScanEnable: "LE Set Extended Scan Enable",
    ]
}
