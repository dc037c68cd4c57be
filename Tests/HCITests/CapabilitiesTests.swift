import Beacons
import TestVectors
import Testing

@testable import HCI

@Suite struct CapabilitiesTests {
    /// What a controller answers to the two questions, and the family that follows.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let octet37: UInt8
        let features: String
        let family: CommandFamily
    }

    @Test(
        "the kernel's two tests choose the family, the version does not",
        arguments: [
            Case(
                testDescription: "nothing", octet37: 0, features: "00 00 00 00 00 00 00 00",
                family: .legacy),
            Case(
                testDescription: "a Pi 5: Bluetooth 5.0 without extended advertising",
                octet37: 0, features: "3f 00 00 08 00 00 00 00", family: .legacy),
            Case(
                testDescription: "extended scanning alone", octet37: 0x60,
                features: "3f 00 00 08 00 00 00 00", family: .legacy),
            Case(
                testDescription: "extended advertising alone", octet37: 0,
                features: "3f 10 00 00 00 00 00 00", family: .legacy),
            Case(
                testDescription: "scan parameters without enable", octet37: 0x20,
                features: "3f 10 00 00 00 00 00 00", family: .legacy),
            Case(
                testDescription: "scan enable without parameters", octet37: 0x40,
                features: "3f 10 00 00 00 00 00 00", family: .legacy),
            Case(
                testDescription: "both", octet37: 0x60, features: "ff 10 00 00 00 00 00 00",
                family: .extended),
        ])
    func family(of test: Case) {
        var capabilities = Capabilities()
        var commands = [UInt8](repeating: 0, count: 65)
        commands[38] = test.octet37
        Self.learn(&capabilities, commands, .readLocalSupportedCommands)
        Self.learn(&capabilities, [0] + hex(test.features), .leReadLocalSupportedFeatures)
        Self.learn(&capabilities, hex("00 0b 00 00 0b 00 00 00 00"), .readLocalVersion)
        #expect(capabilities.version == 11)
        #expect(capabilities.family == test.family)
        #expect(capabilities.canScanExtended == (test.octet37 == 0x60))
    }

    @Test(
        "state 8 is scanning while advertising; a controller without states may try")
    func states() {
        var capabilities = Capabilities()
        #expect(capabilities.leStates == nil)
        #expect(capabilities.canScanWhileAdvertising)
        Self.learn(&capabilities, hex("00 00 00 00 00 00 00 00 00"), .leReadSupportedStates)
        #expect(capabilities.leStates == 0)
        #expect(capabilities.canScanWhileAdvertising)
        Self.learn(&capabilities, hex("00 ff 00 00 00 00 00 00 00"), .leReadSupportedStates)
        #expect(!capabilities.canScanWhileAdvertising)
        Self.learn(&capabilities, hex("00 00 01 00 00 00 00 00 00"), .leReadSupportedStates)
        #expect(capabilities.canScanWhileAdvertising)
    }

    @Test(
        "a short answer changes nothing",
        arguments: [
            (Opcode.readLocalVersion, 2), (.readLocalSupportedCommands, 65),
            (.leReadLocalSupportedFeatures, 9), (.leReadSupportedStates, 9),
            (.readDeviceAddress, 7),
        ])
    func short(opcode: Opcode, count: Int) {
        for shorter in 0..<count {
            var capabilities = Capabilities()
            Self.learn(&capabilities, [UInt8](repeating: 0xff, count: shorter), opcode)
            #expect(capabilities == Capabilities())
        }
        var capabilities = Capabilities()
        Self.learn(&capabilities, [UInt8](repeating: 0xff, count: count), opcode)
        #expect(capabilities != Capabilities())
    }

    @Test("the own address is public, and its last byte comes first")
    func ownAddress() {
        var capabilities = Capabilities()
        #expect(capabilities.ownAddress == nil)
        Self.learn(&capabilities, hex("00 66 55 44 33 22 f1"), .readDeviceAddress)
        #expect(
            capabilities.ownAddress == DeviceAddress(address: 0xf122_3344_5566, type: 0))
    }

    /// Outside of `#expect`, which does not change a value.
    private static func refusePublicAddress(_ capabilities: inout Capabilities) -> Bool {
        capabilities.refusePublicAddress()
    }

    @Test("a controller that answers with zeros, or refuses its own, gets the random address")
    func noAddress() {
        var capabilities = Capabilities()
        Self.learn(&capabilities, hex("00 00 00 00 00 00 00"), .readDeviceAddress)
        #expect(capabilities.ownAddress == nil)
        #expect(capabilities.ownAddressType == .public)
        #expect(!Self.refusePublicAddress(&capabilities))
        let random = DeviceAddress(randomStaticOf: "shop/entry")
        capabilities = Capabilities(substitute: random)
        Self.learn(&capabilities, hex("00 00 00 00 00 00 00"), .readDeviceAddress)
        #expect(capabilities.ownAddress == random)
        #expect(capabilities.ownAddressType == .random)
        #expect(!Self.refusePublicAddress(&capabilities))
        Self.learn(&capabilities, hex("00 66 55 44 33 22 f1"), .readDeviceAddress)
        #expect(capabilities.ownAddressType == .public)
        #expect(Self.refusePublicAddress(&capabilities))
        #expect(capabilities.ownAddress == random)
    }

    @Test("each family has the other one")
    func other() {
        #expect(CommandFamily.legacy.other == .extended)
        #expect(CommandFamily.extended.other == .legacy)
    }

    private static func learn(
        _ capabilities: inout Capabilities, _ answer: [UInt8], _ opcode: Opcode
    ) {
        answer.withBytes { capabilities.learn(from: $0, to: opcode) }
    }
}
