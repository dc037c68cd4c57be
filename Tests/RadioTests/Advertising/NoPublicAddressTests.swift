import Beacons
import HCI
import Testing

@testable import Radio
@testable import VirtualRadio

@Suite("controllers without a public address")
struct NoPublicAddressTests {
    static let families: [CommandFamily] = [.legacy, .extended]
    static let beacon = Advertising.sample(7)

    @Test(
        "a random static address stands for it, in the scan and in the advertising",
        arguments: families, [true, false])
    func randomAddress(family: CommandFamily, isExclusive: Bool) throws {
        let bench = Bench(family, isExclusive: isExclusive, .on(Self.beacon), address: 0)
        try bench.start()
        #expect(bench.controller.isScanning)
        #expect(bench.radio.isScanComplete)
        #expect(bench.shows(Self.beacon))
        #expect(bench.onAir.map(\.sender) == [Bench.randomAddress])
        #expect(bench.controller.capabilities.ownAddress == Bench.randomAddress)
    }

    @Test("another beacon, a restored scan and a new start keep it", arguments: families)
    func lasts(family: CommandFamily) throws {
        let bench = Bench(family, isExclusive: false, .on(Self.beacon), address: 0)
        try bench.start()
        try bench.tune(.on(.sample(8)))
        #expect(bench.onAir.map(\.sender) == [Bench.randomAddress])
        // Another program resets the controller, which forgets the address.
        try bench.meddle(.reset)
        try bench.wait(10_000_000)
        #expect(bench.radio.isScanComplete)
        #expect(bench.shows(.sample(8)))
        #expect(bench.onAir.map(\.sender) == [Bench.randomAddress])
    }

    @Test(
        "a controller that does not tell its address, and refuses the public one, gets it",
        arguments: families)
    func untold(family: CommandFamily) throws {
        let bench = Bench(family, .on(Self.beacon), address: 0)
        bench.refuse = { $0.opcode == .readDeviceAddress ? .unknownCommand : nil }
        try bench.start()
        #expect(bench.radio.isScanComplete)
        #expect(bench.onAir.map(\.sender) == [Bench.randomAddress])
    }

    @Test(
        "one that refuses the random address, too, scans and does not advertise",
        arguments: families)
    func refused(family: CommandFamily) throws {
        let bench = Bench(family, .on(Self.beacon), address: 0)
        // A lenient controller, which scans and advertises with zeros.
        let enables: [HCICommand] = [.scanEnable(true, family), .advertisingEnable(true, family)]
        bench.refuse = { command in
            let isAddress = command.opcode == .leSetRandomAddress
            return isAddress ? .unknownCommand : enables.contains(command) ? .success : nil
        }
        try bench.start()
        #expect(bench.controller.isScanning)
        #expect(bench.state.advertising == nil)
        #expect(!bench.sent.contains(.advertisingEnable(true, family)))
        #expect(bench.notices.contains(.advertised(.refused(.lacksAddress))))
        #expect(bench.controller.capabilities.ownAddress == nil)
    }

    @Test("one with an address keeps it, and gets no command for another", arguments: families)
    func publicAddress(family: CommandFamily) throws {
        let bench = Bench(family, .on(Self.beacon))
        try bench.start()
        #expect(
            bench.onAir.map(\.sender) == [DeviceAddress(address: 0x0200_0000_0001, type: 0)])
        let opcodes: [Opcode] = [.leSetRandomAddress, .leSetAdvertisingSetRandomAddress]
        #expect(!bench.sent.contains { opcodes.contains($0.opcode) })
    }

    @Test("the address is static, lasts, and differs between gateways")
    func derived() {
        let names = (0..<1000).map { "shop/gateway-\($0)" }
        let addresses = names.map { DeviceAddress(randomStaticOf: $0) }
        #expect(addresses == names.map { DeviceAddress(randomStaticOf: $0) })
        #expect(Set(addresses).count == names.count)
        #expect(addresses.allSatisfy { $0.rawValue >> 46 == 0b111 })
    }
}
