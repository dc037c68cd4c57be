import HCI
import Primitives
import Testing

@testable import VirtualRadio

/// Commands to a controller after a reset, and the status of the last one.
struct RefusalCase: CustomTestStringConvertible, Sendable {
    let name: String
    let kind: CommandFamily
    /// Opcode and parameters, as hexadecimal digits.
    let commands: [(UInt16, String)]
    let status: UInt8

    init(
        _ name: String, _ kind: CommandFamily, _ commands: [(UInt16, String)], _ status: UInt8
    ) {
        self.name = name
        self.kind = kind
        self.commands = commands
        self.status = status
    }

    var testDescription: String { name }
}

private let scan: (UInt16, String) = (0x200b, "00 a000 a000 00 00")
private let scanOn: (UInt16, String) = (0x200c, "01 00")
private let extendedScan: (UInt16, String) = (0x2041, "00 00 01 00 a000 a000")
private let extendedScanOn: (UInt16, String) = (0x2042, "01 00 0000 0000")
private let noPeer = "00 000000000000"
private let advertise: (UInt16, String) = (0x2006, "a000 a000 03 00 \(noPeer) 07 00")
private let advertiseOn: (UInt16, String) = (0x200a, "01")
private let nothing = String(repeating: "00", count: 31)

private func set(
    handle: String = "01", properties: String = "1000", interval: String = "a00000 a00000",
    channels: String = "07", own: String = "00", power: String = "7f", primary: String = "01",
    sid: String = "00"
) -> (UInt16, String) {
    let rest = "\(power) \(primary) 00 01 \(sid) 00"
    return (
        0x2036, "\(handle) \(properties) \(interval) \(channels) \(own) \(noPeer) 00 \(rest)"
    )
}
private let setOn: (UInt16, String) = (0x2039, "01 01 01 0000 00")

@Suite struct RefusalTests {
    static let families: [RefusalCase] = [
        RefusalCase("legacy after extended", .extended, [extendedScan, scan], 0x0c),
        RefusalCase("extended after legacy", .extended, [scan, extendedScan], 0x0c),
        RefusalCase(
            "legacy advertising after extended scan", .extended, [extendedScan, advertise], 0x0c),
        RefusalCase("extended advertising after legacy scan", .extended, [scan, set()], 0x0c),
        RefusalCase(
            "reading the power is legacy, too", .extended, [(0x2007, ""), extendedScan], 0x0c),
        RefusalCase("asking for sets is extended, too", .extended, [(0x203b, ""), scan], 0x0c),
        RefusalCase(
            "a reset forgets the family", .extended, [scan, (0x0c03, ""), extendedScan], 0x00),
        RefusalCase("legacy on both is fine", .extended, [scan, advertise], 0x00),
        RefusalCase("a legacy-only one does not know", .legacy, [extendedScan], 0x01),
        RefusalCase("and its family stays open", .legacy, [extendedScan, scan], 0x00),
    ]

    static let scanning: [RefusalCase] = [
        RefusalCase("interval too short", .legacy, [(0x200b, "00 0300 0300 00 00")], 0x12),
        RefusalCase("interval too long", .legacy, [(0x200b, "00 0140 0400 00 00")], 0x12),
        RefusalCase("the longest interval", .legacy, [(0x200b, "00 0040 0040 00 00")], 0x00),
        RefusalCase("window longer than interval", .legacy, [(0x200b, "00 a000 a100 00 00")], 0x12),
        RefusalCase("scan type 2", .legacy, [(0x200b, "02 a000 a000 00 00")], 0x12),
        RefusalCase("own address type 4", .legacy, [(0x200b, "00 a000 a000 04 00")], 0x12),
        RefusalCase("a byte too few", .legacy, [(0x200b, "00 a000 a000 00")], 0x12),
        RefusalCase("a byte too many", .legacy, [(0x200c, "01 00 00")], 0x12),
        RefusalCase("enable 2", .legacy, [(0x200c, "02 00")], 0x12),
        RefusalCase("parameters while scanning", .legacy, [scan, scanOn, scan], 0x0c),
        RefusalCase(
            "parameters after scanning", .legacy, [scan, scanOn, (0x200c, "00 00"), scan], 0x00),
        RefusalCase("switched on twice", .legacy, [scanOn, scanOn], 0x00),
        RefusalCase("switched off twice", .legacy, [(0x200c, "00 00"), (0x200c, "00 00")], 0x00),
        RefusalCase("no random address", .legacy, [(0x200b, "00 a000 a000 01 00"), scanOn], 0x12),
        RefusalCase(
            "with a random address", .legacy,
            [(0x2005, "6655443322c1"), (0x200b, "00 a000 a000 01 00"), scanOn], 0x00),
        RefusalCase(
            "a new random address while scanning", .legacy, [scanOn, (0x2005, "6655443322c1")], 0x0c
        ),
        RefusalCase(
            "extended while scanning", .extended, [extendedScan, extendedScanOn, extendedScan], 0x0c
        ),
        RefusalCase(
            "extended, no channel type", .extended, [(0x2041, "00 00 00 00 a000 a000")], 0x12),
        RefusalCase("extended, coded", .extended, [(0x2041, "00 00 04 00 a000 a000")], 0x11),
        RefusalCase(
            "extended, two of them and one's times", .extended, [(0x2041, "00 00 05 00 a000 a000")],
            0x12),
        RefusalCase(
            "extended, window longer", .extended, [(0x2041, "00 00 01 00 a000 a100")], 0x12),
        RefusalCase(
            "extended, filter by period without one", .extended, [(0x2042, "01 02 0000 0000")], 0x12
        ),
        RefusalCase(
            "extended, no random address", .extended,
            [(0x2041, "01 00 01 00 a000 a000"), extendedScanOn], 0x12),
    ]

    static let advertising: [RefusalCase] = [
        RefusalCase(
            "interval too short", .legacy, [(0x2006, "1f00 a000 03 00 \(noPeer) 07 00")], 0x12),
        RefusalCase(
            "the shortest interval", .legacy, [(0x2006, "2000 2000 03 00 \(noPeer) 07 00")], 0x00),
        RefusalCase(
            "interval too long", .legacy, [(0x2006, "a000 0140 03 00 \(noPeer) 07 00")], 0x12),
        RefusalCase(
            "least more than most", .legacy, [(0x2006, "a100 a000 03 00 \(noPeer) 07 00")], 0x12),
        RefusalCase("type 5", .legacy, [(0x2006, "a000 a000 05 00 \(noPeer) 07 00")], 0x12),
        RefusalCase("no channel", .legacy, [(0x2006, "a000 a000 03 00 \(noPeer) 00 00")], 0x12),
        RefusalCase(
            "a fourth channel", .legacy, [(0x2006, "a000 a000 03 00 \(noPeer) 0f 00")], 0x12),
        RefusalCase(
            "parameters while advertising", .legacy, [advertise, advertiseOn, advertise], 0x0c),
        RefusalCase(
            "data while advertising", .legacy, [advertise, advertiseOn, (0x2008, "1e" + nothing)],
            0x00),
        RefusalCase("32 bytes of data", .legacy, [(0x2008, "20" + nothing)], 0x12),
        RefusalCase("data without their padding", .legacy, [(0x2008, "03 02 01 06")], 0x12),
        RefusalCase(
            "no random address", .legacy,
            [(0x2006, "a000 a000 03 01 \(noPeer) 07 00"), advertiseOn], 0x12),
    ]

    static let sets: [RefusalCase] = [
        RefusalCase("handle f0", .extended, [set(handle: "f0")], 0x12),
        RefusalCase(
            "scannable legacy PDU that does not exist", .extended, [set(properties: "1100")], 0x12),
        RefusalCase(
            "connectable and scannable without legacy PDU", .extended, [set(properties: "0300")],
            0x12),
        RefusalCase("interval too short", .extended, [set(interval: "1f0000 a00000")], 0x12),
        RefusalCase("interval of three bytes", .extended, [set(interval: "ffffff ffffff")], 0x00),
        RefusalCase("least more than most", .extended, [set(interval: "a10000 a00000")], 0x12),
        RefusalCase("no channel", .extended, [set(channels: "00")], 0x12),
        RefusalCase("21 dBm", .extended, [set(power: "15")], 0x12),
        RefusalCase("channel type 2", .extended, [set(primary: "02")], 0x12),
        RefusalCase("coded", .extended, [set(primary: "03")], 0x11),
        RefusalCase("SID 16", .extended, [set(sid: "10")], 0x12),
        RefusalCase("the fifth set", .extended, (1...5).map { set(handle: "0\($0)") }, 0x07),
        RefusalCase("data of a set that is not", .extended, [(0x2037, "02 03 01 01 00")], 0x42),
        RefusalCase("switching on a set that is not", .extended, [setOn], 0x42),
        RefusalCase("address of a set that is not", .extended, [(0x2035, "01 6655443322c1")], 0x42),
        RefusalCase("parameters while on", .extended, [set(), setOn, set()], 0x0c),
        RefusalCase(
            "complete data while on", .extended, [set(), setOn, (0x2037, "01 03 01 01 00")], 0x00),
        RefusalCase(
            "fragments while on", .extended,
            [set(properties: "0000"), setOn, (0x2037, "01 01 01 01 00")], 0x0c),
        RefusalCase(
            "fragments of a legacy PDU", .extended, [set(), (0x2037, "01 01 01 01 00")], 0x12),
        RefusalCase(
            "32 bytes for a legacy PDU", .extended, [set(), (0x2037, "01 03 01 20 00" + nothing)],
            0x12),
        RefusalCase(
            "length that is not the data's", .extended, [set(), (0x2037, "01 03 01 02 00")], 0x12),
        RefusalCase(
            "on in the middle of fragments", .extended,
            [set(properties: "0000"), (0x2037, "01 01 01 01 00"), setOn], 0x0c),
        RefusalCase("no random address", .extended, [set(own: "01"), setOn], 0x12),
        RefusalCase(
            "the old random address does not serve", .extended,
            [(0x2005, "6655443322c1"), set(own: "01"), setOn], 0x12),
        RefusalCase(
            "its own one does", .extended, [set(own: "01"), (0x2035, "01 6655443322c1"), setOn],
            0x00),
        RefusalCase("on without any", .extended, [(0x2039, "01 00")], 0x12),
        RefusalCase("all off", .extended, [set(), setOn, (0x2039, "00 00"), set()], 0x00),
        RefusalCase(
            "one twice", .extended, [set(), (0x2039, "01 02 01 0000 00 01 0000 00")], 0x12),
        RefusalCase("removed while on", .extended, [set(), setOn, (0x203c, "01")], 0x0c),
        RefusalCase("removed", .extended, [set(), (0x203c, "01"), setOn], 0x42),
        RefusalCase("all removed while one is on", .extended, [set(), setOn, (0x203d, "")], 0x0c),
    ]

    @Test(
        "invalid commands have the specification's error codes",
        arguments: families + scanning + advertising + sets)
    func errorCodes(_ refusal: RefusalCase) {
        var talk = Conversation(refusal.kind)
        var status = talk.status(.reset)
        for command in refusal.commands { status = talk.status(command.0, command.1) }
        #expect(status == refusal.status)
    }

    @Test(
        "a controller that can't scan while advertising refuses the second of them",
        arguments: [(scanOn, advertiseOn), (advertiseOn, scanOn)]) func exclusiveRoles(
            _ first: (UInt16, String), _ second: (UInt16, String)
        )
    {
        var talk = Conversation(.legacy, simultaneous: false)
        #expect(talk.status(first.0, first.1) == 0)
        #expect(talk.status(second.0, second.1) == 0x0c)
        #expect(
            talk.send(HCICommand.leReadSupportedStates.packet).dropFirst(7).prefix(2) == [
                0x37, 0x00,
            ])
    }

    @Test(
        "before 5.0, the shortest interval of non-connectable advertising is 100 ms",
        arguments: [
            (0x9f, 3, 0x12), (0xa0, 3, 0x00), (0x9f, 2, 0x12), (0xa0, 2, 0x00), (0x20, 0, 0x00),
        ]) func slowBefore5(interval: UInt8, type: UInt8, status: UInt8)
    {
        var configuration = SimulatedController.Configuration(family: .legacy, address: 1)
        configuration.version = .bluetooth42
        var (old, new) = (Conversation(configuration), Conversation(.legacy))
        let parameters =
            [interval, 0, 0xa0, 0, type, 0] + [UInt8](repeating: 0, count: 7) + [7, 0]
        let command = HCICommand(.leSetAdvertisingParameters, parameters)
        #expect(old.status(command) == status)
        #expect(new.status(command) == 0)
        #expect(old.send(HCICommand.readLocalVersion.packet)[7] == 0x08)
    }

    @Test(
        "the LE event mask has no bits that the version reserves",
        arguments: [
            (.bluetooth40, 0x1f, 0x00), (.bluetooth40, 0x3f, 0x12), (.bluetooth42, 0x7ff, 0x00),
            (.bluetooth42, 0xfff, 0x12), (.bluetooth50, 0xf_ffff, 0x00),
            (.bluetooth50, 0x10_0000, 0x12),
        ] as [(SimulatedController.CoreVersion, UInt64, UInt8)])
    func leEvents(version: SimulatedController.CoreVersion, mask: UInt64, status: UInt8) {
        var configuration = SimulatedController.Configuration(family: .legacy, address: 1)
        configuration.version = version
        var talk = Conversation(configuration)
        #expect(talk.status(HCICommand(.leSetEventMask, mask.littleEndianBytes)) == status)
    }

    @Test(
        "a fault refuses each advertising command the given number of times, and changes nothing",
        arguments: [0x2006, 0x2008, 0x200a, 0x2036, 0x2037, 0x2039] as [UInt16], [1, 3])
    func faults(opcode: UInt16, times: Int) throws {
        let family: CommandFamily = opcode < 0x2036 ? .legacy : .extended
        var talk = Conversation(family)
        let commands: [HCICommand] = [
            .advertisingParameters(interval: 0xa0, family),
            .advertisingData([2, 1, 6], family), .advertisingEnable(true, family),
        ]
        let number = try #require(commands.firstIndex { $0.opcode.rawValue == opcode })
        for command in commands.prefix(number) { #expect(talk.status(command) == 0) }
        let fault = try #require(Misbehaviour("0:refuse:\(opcode):0x0d:\(times)"))
        talk.controller.misbehave(fault.kind, at: .seconds(0))
        for _ in 0..<times { #expect(talk.status(commands[number]) == 0x0d) }
        #expect(talk.controller.onAir.isEmpty)
        for command in commands[number...] { #expect(talk.status(command) == 0) }
        #expect(talk.controller.onAir.map(\.data) == [[2, 1, 6]])
    }
}
