import HCI

/// A command that simulated controllers know.
struct KnownCommand: Sendable {
    typealias Action =
        @Sendable (inout SimulatedController, Parameters) throws(CommandRefusal) -> [UInt8]

    let opcode: UInt16
    /// Its bit among the supported commands (Core 5.4 Vol 4 Part E 6.27).
    let octet: Int
    let bit: UInt8
    /// How many parameter bytes it may have.
    let count: ClosedRange<Int>
    /// The family that it belongs to; `nil` when it goes with both.
    let family: CommandFamily?
    /// Carries it out, and returns what follows the status in the answer.
    let action: Action

    init(
        _ opcode: UInt16, _ octet: Int, _ bit: UInt8, _ count: Int, to most: Int? = nil,
        of family: CommandFamily? = nil, _ action: @escaping Action
    ) {
        self.opcode = opcode
        self.octet = octet
        self.bit = bit
        self.count = count...max(count, most ?? count)
        self.family = family
        self.action = action
    }

    /// Opcode, octet and bit, parameter bytes, family, action.
    ///
    /// The families are those of 3.1.1; mind that asking for the advertising power belongs to one, too.
    static let table: [UInt16: KnownCommand] = {
        let commands = [
            KnownCommand(0x0c01, 5, 6, 8, SimulatedController.setEventMask),
            KnownCommand(0x0c03, 5, 7, 0, SimulatedController.reset),
            KnownCommand(0x0c13, 7, 0, 248, SimulatedController.writeLocalName),
            KnownCommand(0x0c14, 7, 1, 0, SimulatedController.readLocalName),
            KnownCommand(0x0c63, 22, 2, 8, SimulatedController.accept),
            KnownCommand(0x1001, 14, 3, 0, SimulatedController.readLocalVersion),
            KnownCommand(0x1002, 14, 4, 0, SimulatedController.readSupportedCommands),
            KnownCommand(0x1003, 14, 5, 0, SimulatedController.readLocalFeatures),
            KnownCommand(0x1005, 14, 7, 0, SimulatedController.readBufferSize),
            KnownCommand(0x1009, 15, 1, 0, SimulatedController.readDeviceAddress),
            KnownCommand(0x2001, 25, 0, 8, SimulatedController.setLEEventMask),
            KnownCommand(0x2002, 25, 1, 0, SimulatedController.readLEBufferSize),
            KnownCommand(0x2003, 25, 2, 0, SimulatedController.readLEFeatures),
            KnownCommand(0x2005, 25, 4, 6, SimulatedController.setRandomAddress),
            KnownCommand(0x2006, 25, 5, 15, of: .legacy, SimulatedController.advertisingParameters),
            KnownCommand(0x2007, 25, 6, 0, of: .legacy, SimulatedController.readAdvertisingPower),
            KnownCommand(0x2008, 25, 7, 32, of: .legacy, SimulatedController.advertisingData),
            KnownCommand(0x2009, 26, 0, 32, of: .legacy, SimulatedController.scanResponseData),
            KnownCommand(0x200a, 26, 1, 1, of: .legacy, SimulatedController.advertisingEnable),
            KnownCommand(0x200b, 26, 2, 7, of: .legacy, SimulatedController.scanParameters),
            KnownCommand(0x200c, 26, 3, 2, of: .legacy, SimulatedController.scanEnable),
            KnownCommand(0x200f, 26, 6, 0, SimulatedController.readAcceptListSize),
            KnownCommand(0x2010, 26, 7, 0, SimulatedController.clearAcceptList),
            KnownCommand(0x2011, 27, 0, 7, SimulatedController.addToAcceptList),
            KnownCommand(0x2012, 27, 1, 7, SimulatedController.removeFromAcceptList),
            KnownCommand(0x201c, 28, 3, 0, SimulatedController.readLEStates),
            KnownCommand(
                0x2035, 36, 1, 7, of: .extended, SimulatedController.setRandomAddressOfSet),
            KnownCommand(0x2036, 36, 2, 25, of: .extended, SimulatedController.setParametersOfSet),
            KnownCommand(
                0x2037, 36, 3, 4, to: 255, of: .extended, SimulatedController.setDataOfSet),
            KnownCommand(
                0x2038, 36, 4, 4, to: 255, of: .extended, SimulatedController.setScanResponseOfSet),
            KnownCommand(0x2039, 36, 5, 2, to: 255, of: .extended, SimulatedController.enableSets),
            KnownCommand(
                0x203a, 36, 6, 0, of: .extended, SimulatedController.readMaxAdvertisingData),
            KnownCommand(0x203b, 36, 7, 0, of: .extended, SimulatedController.readNumberOfSets),
            KnownCommand(0x203c, 37, 0, 1, of: .extended, SimulatedController.removeSet),
            KnownCommand(0x203d, 37, 1, 0, of: .extended, SimulatedController.clearSets),
            KnownCommand(
                0x2041, 37, 5, 8, to: 13, of: .extended, SimulatedController.extendedScanParameters),
            KnownCommand(0x2042, 37, 6, 6, of: .extended, SimulatedController.extendedScanEnable),
            KnownCommand(0x204b, 38, 7, 0, of: .extended, SimulatedController.readTransmitPower),
        ]
        return Dictionary(commands.map { ($0.opcode, $0) }) { first, _ in first }
    }()

    /// What a controller of `kind` has.
    func isKnown(to kind: CommandFamily) -> Bool { family != .extended || kind == .extended }

    /// The bits of all that a controller of `kind` has: it can't claim what it does not do.
    static func supportedCommands(of kind: CommandFamily) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: 64)
        for command in table.values where command.isKnown(to: kind) {
            bits[command.octet] |= 1 << command.bit
        }
        return bits
    }
}
