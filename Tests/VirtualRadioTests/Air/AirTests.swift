import Beacons
import HCI
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct AirTests {
    private static let pairs: [(CommandFamily, CommandFamily)] = [
        (.legacy, .legacy), (.legacy, .extended), (.extended, .legacy), (.extended, .extended),
    ]

    /// Two stations one metre apart; the second one scans.
    private func group(
        _ one: CommandFamily = .legacy, _ other: CommandFamily = .legacy, metres: Double = 1,
        change: (inout Scenario) -> Void = { _ in }
    ) throws -> StationGroup {
        var group = try StationGroup([one, other], at: [0, metres], change: change)
        try group.send(StationGroup.scan(other), to: 1)
        return group
    }

    @Test("another station's beacon is heard at its interval", arguments: pairs, [100, 250, 1000])
    func interval(families: (CommandFamily, CommandFamily), milliseconds: Int64) throws {
        var group = try group(families.0, families.1)
        let units = UInt16(milliseconds * 1000 / 625)
        try group.send(StationGroup.advertise(minor: 7, interval: units, families.0), to: 0)
        var counts: [Int] = []
        for _ in 0..<20 {
            try group.advance(by: StationGroup.second)
            counts.append(
                group.takeReports(1).filter { $0.identity == StationGroup.identity(7) }.count)
        }
        let most = Int((1000 + milliseconds - 1) / milliseconds)
        let least = Int(1000 / (milliseconds + 10))
        #expect(counts.allSatisfy { (least...most).contains($0) }, "\(counts)")
        // On average the delay is 5 ms.
        let mean = 20_000 / (milliseconds + 5)
        #expect(abs(Int64(counts.reduce(0, +)) - mean) <= 1, "\(counts)")
    }

    @Test("a report has the sender, type and data of its packet", arguments: pairs)
    func content(families: (CommandFamily, CommandFamily)) throws {
        var group = try group(families.0, families.1)
        try group.send(StationGroup.advertise(minor: 7, families.0), to: 0)
        try group.advance(by: StationGroup.second)
        let heard = group.takeReports(1)
        #expect(heard.count >= 9)
        for each in heard {
            #expect(each.report.sender == DeviceAddress(address: 0x0200_0000_0001, type: 0))
            #expect(each.report.eventType == (families.1 == .legacy ? 0x03 : 0x10))
            #expect(each.data == StationGroup.beacon(7).advertisingData)
        }
    }

    @Test(
        "other legacy PDUs keep their type, also from a random address",
        arguments: [(0, 0x00, 0x13), (2, 0x02, 0x12), (3, 0x03, 0x10)])
    func kind(type: UInt8, legacy: UInt16, extended: UInt16) throws {
        var group = try StationGroup([.legacy, .legacy, .extended], at: [0, 1, 2])
        try group.send(StationGroup.scan(.legacy), to: 1)
        try group.send(StationGroup.scan(.extended), to: 2)
        let peer = [UInt8](repeating: 0, count: 7)
        try group.send(
            [
                HCICommand(Opcode(rawValue: 0x2005), [0x66, 0x55, 0x44, 0x33, 0x22, 0xc1]),
                HCICommand(
                    .leSetAdvertisingParameters, [0xa0, 0, 0xa0, 0, type, 1] + peer + [7, 0]),
                .advertisingEnable(true, .legacy),
            ], to: 0)
        try group.advance(by: StationGroup.second)
        for (index, bits) in [(1, legacy), (2, extended)] {
            let heard = group.takeReports(index)
            #expect(heard.count >= 9)
            #expect(heard.allSatisfy { $0.report.eventType == bits })
            let sender = DeviceAddress(address: 0xc122_3344_5566, type: 1)
            #expect(heard.allSatisfy { $0.report.sender == sender })
        }
    }

    @Test("directed PDUs and extended PDUs are not received")
    func notForUs() throws {
        for properties: UInt8 in [0x15, 0x1d, 0x00, 0x02] {
            var group = try group(.extended, .extended)
            try group.send(
                [
                    HCICommand(
                        .leSetExtendedAdvertisingParameters,
                        [0xef, properties, 0x00]
                            + hex("a00000 a00000 07 00 00 000000000000 00 7f 01 00 01 00 00")),
                    HCICommand(Opcode(rawValue: 0x2038), hex("ef 03 01 01 00")),
                    .advertisingEnable(true, .extended),
                ], to: 0)
            #expect(group.stations[0].controller.onAir.count == 1)
            try group.advance(by: StationGroup.second)
            #expect(group.takeReports(1).isEmpty)
        }
    }

    @Test("a station does not receive its own packets") func oneself() throws {
        var group = try StationGroup([.legacy, .extended], at: [0, 1])
        for (index, family) in [CommandFamily.legacy, .extended].enumerated() {
            try group.send(StationGroup.scan(family), to: index)
            try group.send(StationGroup.advertise(minor: UInt16(index), family), to: index)
        }
        try group.advance(by: StationGroup.second * 2)
        for index in 0..<2 {
            let heard = group.takeReports(index)
            #expect(heard.count >= 18)
            #expect(heard.allSatisfy { $0.identity == StationGroup.identity(UInt16(1 - index)) })
        }
    }

    @Test("the RSSI falls with the distance and rises with the transmit power") func strength()
        throws
    {
        var group = try StationGroup([.extended, .legacy, .extended, .legacy], at: [0, 1, 2, 10])
        for (index, station) in group.stations.enumerated().dropFirst() {
            try group.send(StationGroup.scan(station.controller.configuration.family), to: index)
        }
        // The scenario's measured power is -59 dBm; the controller can do 8 dBm.
        for (power, strengths) in [
            (0, [-59, -65, -79]), (-10, [-69, -75, -89]), (20, [-51, -57, -71]),
        ] {
            try group.send(StationGroup.advertise(minor: 7, txPower: Int8(power), .extended), to: 0)
            try group.advance(by: StationGroup.second)
            for (index, strength) in strengths.enumerated() {
                let heard = group.takeReports(index + 1)
                #expect(heard.count >= 9)
                #expect(heard.allSatisfy { Int($0.report.rssi.dBm) == strength })
            }
        }
    }

    @Test("the receiver's gain, fading and loss follow the scenario") func propagation() throws {
        var group = try group { scenario in
            scenario.radio.lossPercent = 50
            scenario.radio.fadingDb = 4
            scenario.gateways[1].gainDb = -3
        }
        try group.send(StationGroup.advertise(minor: 7, .legacy), to: 0)
        try group.advance(by: StationGroup.second * 100)
        let heard = group.takeReports(1)
        let tally = group.tally(1)
        #expect(tally.sent == [StationGroup.identity(7): 953])
        #expect((420...530).contains(heard.count), "\(heard.count)")
        #expect(tally.heard == [StationGroup.identity(7): heard.count])
        #expect(tally.delivered == tally.heard)
        let levels = heard.map { Double($0.report.rssi.dBm) }
        let mean = levels.reduce(0, +) / Double(levels.count)
        #expect(abs(mean + 62) < 0.6, "\(mean)")
        #expect(Set(levels).count > 10)
    }

    @Test("a retune changes the received identity immediately") func retune() throws {
        var group = try group(.legacy, .extended)
        try group.send(StationGroup.advertise(minor: 7, .legacy), to: 0)
        try group.advance(by: StationGroup.second + .microseconds(3333))
        #expect(group.takeReports(1).allSatisfy { $0.identity == StationGroup.identity(7) })
        try group.send(StationGroup.advertise(minor: 8, interval: 0x20, .legacy), to: 0)
        try group.advance(by: StationGroup.second)
        let heard = group.takeReports(1)
        #expect(heard.count >= 33)
        #expect(heard.allSatisfy { $0.identity == StationGroup.identity(8) })
        try group.send([.advertisingEnable(false, .legacy)], to: 0)
        try group.advance(by: StationGroup.second)
        #expect(group.takeReports(1).isEmpty)
    }

    @Test("advertising that starts within a tick is received in that tick, also by a late reader")
    func midTick()
        throws
    {
        var group = try group()
        // A station that advances only after the other has stopped.
        var late = group.stations[1]
        try group.advance(by: StationGroup.second + .microseconds(3000))
        try group.send(StationGroup.advertise(minor: 7, .legacy), to: 0)
        try group.advance(by: .milliseconds(7))
        let first = group.takeReports(1)
        #expect(first.count == 1)
        try group.advance(by: StationGroup.second)
        try group.send([.advertisingEnable(false, .legacy)], to: 0)
        try group.advance(by: StationGroup.second)
        late.air = group.air
        late.advance(to: group.now)
        #expect(try reports(in: late.takeOutput()).count == group.takeReports(1).count + 1)
    }

    @Test("new data keep the advertising schedule; a restart begins a new one") func beat() {
        let gateway = Scenario.Gateway(id: "a", place: Point(x: 0, y: 0))
        func onAir(_ data: [UInt8], interval: UInt32 = 0xa0) -> OnAir {
            OnAir(
                handle: nil, properties: 0x10, interval: interval...interval, channels: 7,
                sender: DeviceAddress(address: 1, type: 0), txPower: 0, data: data,
                scanResponse: [])
        }
        var air = Air()
        air.put([onAir([1])], by: gateway, at: .microseconds(1000))
        air.put([onAir([2])], by: gateway, at: .microseconds(2000))
        air.put([onAir([2], interval: 0xb0)], by: gateway, at: .microseconds(3000))
        air.put([], by: gateway, at: .microseconds(4000))
        air.put([onAir([2], interval: 0xb0)], by: gateway, at: .microseconds(5000))
        #expect(
            air.transmissions.map(\.origin) == [1000, 1000, 3000, 5000].map { .microseconds($0) })
        #expect(
            air.transmissions.map(\.start) == [1000, 2000, 3000, 5000].map { .microseconds($0) })
        #expect(air.transmissions.map(\.end?.microseconds) == [2000, 3000, 4000, nil])
    }

    @Test("ended transmissions are removed, and continuing ones are kept") func forgetting() {
        let gateway = Scenario.Gateway(id: "a", place: Point(x: 0, y: 0))
        let other = Scenario.Gateway(id: "b", place: Point(x: 0, y: 0))
        let onAir = OnAir(
            handle: nil, properties: 0x10, interval: 0xa0...0xa0, channels: 7,
            sender: DeviceAddress(address: 1, type: 0), txPower: 0, data: [], scanResponse: [])
        var air = Air()
        air.put([onAir], by: other, at: .seconds(0))
        for time in Int64(0)..<10_000 {
            air.put(time % 2 == 0 ? [onAir] : [], by: gateway, at: .microseconds(time))
        }
        #expect(air.transmissions.count <= 1025)
        air.put([], by: gateway, at: .seconds(60))
        #expect(air.transmissions.map(\.gateway.id) == ["b"])
    }

    @Test("packets on one channel are received during the scan of that channel") func channels()
        throws
    {
        var group = try group()
        try group.send(
            [
                HCICommand(
                    .leSetAdvertisingParameters,
                    hex("2000 2000 03 00 00 000000000000 01 00")),
                .advertisingEnable(true, .legacy),
            ], to: 0)
        try group.advance(by: StationGroup.second * 100)
        // 20 ms and the delay's mean of 5 ms.
        let share = Double(group.takeReports(1).count) / 4000
        #expect(abs(share - 1.0 / 3) < 0.05, "\(share)")
    }

    @Test("advertising stations do not change the counts of the scenario's beacons")
    func worldStaysExact() throws {
        func change(_ scenario: inout Scenario) {
            scenario.beacons = [
                Scenario.FixedBeacons(
                    major: 1, firstMinor: 1, count: 20, place: Point(x: 3, y: 3))
            ]
        }
        var (quiet, busy) = (try group(change: change), try group(change: change))
        try busy.send(StationGroup.advertise(minor: 7, .legacy), to: 0)
        try quiet.advance(by: StationGroup.second * 10)
        try busy.advance(by: StationGroup.second * 10)
        let heard = busy.takeReports(1)
        let (alone, together) = (quiet.tally(1), busy.tally(1))
        #expect(alone.sent.count == 20)
        #expect(together.sent.filter { $0.key != StationGroup.identity(7) } == alone.sent)
        #expect(together.delivered.filter { $0.key != StationGroup.identity(7) } == alone.delivered)
        #expect(
            together.sent[StationGroup.identity(7)] == together.delivered[StationGroup.identity(7)])
        #expect(heard.count == together.delivered.values.reduce(0, +))
        let own = busy.tally(0)
        #expect(own.sent[StationGroup.identity(7)] == nil)
    }
}
