import Beacons
import HCI
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct OnAirChangeTests {
    private func station(_ family: CommandFamily) throws -> Station {
        try Station(
            try scenario("busy"), gateway: "till-1",
            configuration: .init(family: family, address: 0x0200_0000_0001), start: .seconds(0),
            worldTime: .seconds(0))
    }

    private func send(
        _ commands: [HCICommand], to station: inout Station, at time: Instant = .seconds(0)
    ) {
        for command in commands { station.receive(command.packet, at: time) }
    }

    @Test(
        "each change on the air is reported once",
        arguments: [CommandFamily.legacy, .extended])
    func changes(family: CommandFamily) throws {
        var station = try station(family)
        let nothing = station.takeChangeOnAir()
        #expect(nothing == nil)
        var reported: [[OnAir]] = []
        let commands =
            StationGroup.scan(family) + StationGroup.advertise(minor: 7, family)
            // The same data again, other data, other data while advertising, disable, enable.
            + StationGroup.advertise(minor: 7, family) + StationGroup.advertise(minor: 8, family)
            + [.advertisingData(StationGroup.beacon(9).advertisingData, family)]
            + [.advertisingEnable(true, family), .reset, .reset]
        for command in commands {
            send([command], to: &station)
            if let change = station.takeChangeOnAir() { reported.append(change) }
        }
        let minors = reported.map { all in all.compactMap(\.beacon?.identity.minor) }
        #expect(minors == [[7], [], [7], [], [8], [9], []])
    }

    @Test("a hardware error ends the advertising") func hardwareError() throws {
        var station = try Station(
            try scenario("busy"), gateway: "till-1",
            configuration: .init(family: .legacy, address: 1),
            faults: [Misbehaviour(at: .microseconds(500), .hardwareError(code: 1))],
            start: .seconds(0),
            worldTime: .seconds(0))
        send(StationGroup.advertise(minor: 7, .legacy), to: &station)
        #expect(station.takeChangeOnAir()?.count == 1)
        station.advance(to: .microseconds(1000))
        #expect(station.takeChangeOnAir() == [])
    }

    @Test(
        "a station without a host stops advertising, unless it keeps its power",
        arguments: [false, true])
    func withoutHost(keepingPower: Bool) throws {
        var station = try station(.legacy)
        send(StationGroup.scan(.legacy) + StationGroup.advertise(minor: 7, .legacy), to: &station)
        #expect(station.takeChangeOnAir()?.count == 1)
        // Half a command.
        station.receive([0x01, 0x03], at: .seconds(0))
        station.hostIsGone(keepingPower: keepingPower)
        #expect(station.takeChangeOnAir() == (keepingPower ? nil : []))
        #expect(station.takeOutput().isEmpty)
        // The next host gets answers, and the reports of the last host's scan.
        station.receive(HCICommand.readDeviceAddress.packet, at: .seconds(0))
        #expect(station.takeOutput().count == 13)
        station.advance(to: .seconds(1))
        #expect(try reports(in: station.takeOutput()).isEmpty == !keepingPower)
        #expect(station.controller.onAir.count == (keepingPower ? 1 : 0))
    }

    @Test("the line of a change has all fields except addresses") func line() throws {
        var station = try station(.legacy)
        send(StationGroup.advertise(minor: 7, .legacy), to: &station)
        let taken = station.takeChangeOnAir()
        let change = try #require(taken)
        let data = "02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e0002a0007c5"
        let expected =
            #"{"gateway":"till-1","onAir":[{"handle":null,"data":"\#(data)","#
            + #""uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":42,"minor":7,"#
            + #""measuredPower":-59,"intervalMs":100,"txPowerDbm":0,"properties":16,"#
            + #""channels":7,"sender":"public"}]}"# + "\n"
        #expect(OnAir.line(change, of: "till-1") == expected)
        #expect(OnAir.line([], of: "till-1") == #"{"gateway":"till-1","onAir":[]}"# + "\n")
    }

    @Test("the line of two sets has other data, odd intervals and a random address")
    func lineOfSets() throws {
        let sets = [
            OnAir(
                handle: 0, properties: 0x13, interval: 0x21...0x32, channels: 3,
                sender: DeviceAddress(address: 5, type: 1), txPower: -20, data: [0x02, 0x01, 0x1a],
                scanResponse: []),
            OnAir(
                handle: 1, properties: 0x10, interval: 0x4000...0x4000, channels: 7,
                sender: DeviceAddress(address: 5, type: 0), txPower: 8, data: [],
                scanResponse: []),
        ]
        let object = try JSONReading.object(OnAir.line(sets, of: "a"))
        let list = try #require(object["onAir"] as? [[String: Any]])
        #expect(list.count == 2)
        #expect(list[0]["intervalMs"] as? Double == 20.625)
        #expect(list[0]["intervalMaxMs"] as? Double == 31.25)
        #expect(list[0]["sender"] as? String == "random")
        #expect(list[0]["data"] as? String == "02011a")
        #expect(list[0]["uuid"] == nil)
        #expect(list[0]["txPowerDbm"] as? Int == -20)
        #expect(list[1]["intervalMs"] as? Int == 10_240)
        #expect(list[1]["intervalMaxMs"] == nil)
        #expect(list[1]["handle"] as? Int == 1)
    }
}
