import Beacons
import HCI
import Primitives
import TestVectors
import Testing
import VirtualRadio

@testable import Radio

/// Several formats: as sets of an extended controller, in turn on a legacy one.
@Suite struct FormatsTests {
    private static let all = Advertising.sample(7, formats: .all)
    private static let families = [CommandFamily.legacy, .extended]

    /// What the data of advertising are: the word of a format, or "tlm".
    private static func kind(_ data: [UInt8]) -> String {
        if case .telemetry? = anonymous(data) { return "tlm" }
        let frame = data.withBytes { try? BeaconFrame(advertisingData: $0, of: .all) }
        return frame.map { "\($0.identity.format)" } ?? "none"
    }

    private static func anonymous(_ data: [UInt8]) -> Eddystone.Anonymous? {
        data.withBytes { Eddystone.Anonymous(advertisingData: $0) }
    }

    /// The kinds that follow each other in a set, with the time of each in milliseconds.
    private static func turns(
        _ bench: Bench, seconds: Int, handle: UInt8?
    ) throws -> [(kind: String, milliseconds: Int)] {
        var turns: [(kind: String, milliseconds: Int)] = []
        for _ in 0..<seconds * 100 {
            let data = try #require(bench.onAir.first { $0.handle == handle }).data
            let kind = kind(data)
            if turns.last?.kind == kind {
                turns[turns.count - 1].milliseconds += 10
            } else {
                turns.append((kind, 10))
            }
            try bench.wait(10_000)
        }
        return turns
    }

    @Test("an extended controller has a set for each format, at the interval")
    func sets() throws {
        let bench = try Bench.settled(.extended, .on(Self.all))
        #expect(bench.onAir.map(\.handle) == [0xed, 0xee, 0xef])
        #expect(
            bench.onAir.map { Self.kind($0.data) } == ["altBeacon", "eddystoneUID", "iBeacon"])
        #expect(bench.onAir.allSatisfy { $0.interval == 160...160 && $0.properties == 0x10 })
        #expect(bench.state.advertising == Self.all)
        // The iBeacon never makes way.
        #expect(try Self.turns(bench, seconds: 5, handle: 0xef).map(\.kind) == ["iBeacon"])
        #expect(bench.controller.stopCommands().count == 4)
        try bench.tune(.off)
        #expect(bench.shows(nil) && bench.controller.deadline == nil)
        #expect(bench.controller.stopCommands() == [.scanEnable(false, .extended)])
    }

    @Test("the Eddystone set sends telemetry for a tenth of the time")
    func telemetryOfSet() throws {
        let bench = try Bench.settled(.extended, .on(.sample(7, formats: .eddystoneUID)))
        let turns = try Self.turns(bench, seconds: 7, handle: 0xee)
        #expect(turns.map(\.kind).prefix(4) == ["eddystoneUID", "tlm", "eddystoneUID", "tlm"])
        #expect(turns[1].milliseconds == 300 && turns[2].milliseconds == 2700)
        #expect(bench.notices.isEmpty && bench.controller.interferences == 0)
        #expect(bench.state.advertising == .sample(7, formats: .eddystoneUID))
    }

    @Test("a legacy controller sends the formats in turn, three advertisements each")
    func inTurn() throws {
        for (interval, milliseconds) in [(20, 300), (100, 300), (1000, 3000)] {
            let desired = Advertising.sample(7, milliseconds: interval, formats: .all)
            let bench = try Bench.settled(.legacy, .on(desired))
            let turns = try Self.turns(bench, seconds: milliseconds / 25, handle: nil)
            let round = ["iBeacon", "eddystoneUID", "altBeacon"]
            let expected = round + round + round + ["tlm"] + round
            #expect(turns.map(\.kind).prefix(12) == expected[..<12])
            #expect(turns[1..<11].allSatisfy { abs($0.milliseconds - milliseconds) <= 10 })
            #expect(bench.state.advertising == desired)
            #expect(bench.sent.allSatisfy { $0.opcode == .leSetAdvertisingData })
        }
    }

    @Test("telemetry has the temperature and the uptime")
    func telemetry() throws {
        let bench = try Bench.settled(.legacy, .on(.sample(7, formats: .eddystoneUID)))
        bench.temperature = 54 * 256
        while Self.kind(try #require(bench.onAir.first).data) != "tlm" { try bench.wait(10_000) }
        let read = Self.anonymous(bench.onAir[0].data)
        guard case .telemetry(let telemetry)? = read else { return #expect(read != nil) }
        #expect(telemetry.millivolts == nil && telemetry.temperature == 54 * 256)
        // The bench's clock is at 10 s when it opens. Nine turns of 300 ms, three advertisements each.
        #expect((126...128).contains(telemetry.uptime))
        #expect((25...28).contains(telemetry.advertisements))
    }

    @Test("an iBeacon alone causes no turn", arguments: families)
    func alone(family: CommandFamily) throws {
        for formats in [BeaconFormats.iBeacon, .altBeacon] {
            let bench = try Bench.settled(family, .on(.sample(7, formats: formats)))
            #expect(bench.onAir.count == 1 && bench.controller.deadline == nil)
            try bench.wait(10_000_000)
            #expect(bench.sent.isEmpty)
        }
    }

    @Test("a change of formats leaves no other set on the air")
    func changes() throws {
        let choices: [BeaconFormats] = [
            .iBeacon, .all, .altBeacon, [.iBeacon, .eddystoneUID], .eddystoneUID,
        ]
        for isExclusive in [true, false] {
            for former in choices {
                for next in choices where next != former {
                    let bench = try Bench.settled(
                        .extended, isExclusive: isExclusive, .on(.sample(7, formats: former)))
                    try bench.tune(.on(.sample(7, formats: next)))
                    #expect(bench.notices == [.advertised(.applied)])
                    #expect(
                        Set(bench.onAir.map { Self.kind($0.data) })
                            == Set(next.words))
                }
            }
        }
    }

    @Test("a shared controller's further sets of an earlier run are switched off")
    func leftovers() throws {
        for desired in [DesiredAdvertising.on(.sample(7)), .off] {
            let bench = Bench(.extended, isExclusive: false, desired, leftover: .sample(3))
            for set in 1...2 { bench.leave(.sample(3), set: set) }
            #expect(bench.onAir.count == 3)
            try bench.start()
            #expect(bench.shows(desired.advertising))
            bench.forget()
            try bench.wait(10_000_000)
            #expect(bench.sent.isEmpty)
        }
    }

    @Test("a controller without enough sets refuses, and the former advertising is restored")
    func tooFewSets() throws {
        let bench = try Bench.settled(.extended, .on(.sample(1)))
        bench.refuse = { command in
            command.opcode == .leSetExtendedAdvertisingParameters && command.parameters[0] == 0xed
                ? .memoryCapacityExceeded : nil
        }
        try bench.tune(.on(Self.all))
        guard case .advertised(.refused(let refusal))? = bench.notices.first else {
            return #expect(bench.notices.isEmpty)
        }
        #expect(refusal.sentence.hasSuffix("too few advertising sets; advertise fewer formats"))
        #expect(bench.shows(.sample(1)))
    }

    @Test("advertising that stays begins with the first format", arguments: families)
    func stays(family: CommandFamily) throws {
        let bench = try Bench.settled(family, .on(Self.all))
        let scanOff = HCICommand.scanEnable(false, family)
        #expect(bench.controller.stopCommands(keepingAdvertising: true) == [scanOff])
        func hasTurned() -> Bool { bench.onAir.contains { Self.kind($0.data) == "tlm" } }
        while !hasTurned() { try bench.wait(10_000) }
        let commands = bench.controller.stopCommands(keepingAdvertising: true)
        #expect(commands.count == 2 && commands[0] == scanOff)
        let first: AdvertisedFrame = .beacon(
            BeaconFrame(
                identity: Advertisements.identity(7)
                    .translated(to: family == .legacy ? .iBeacon : .eddystoneUID), power: -59))
        #expect(
            commands[1]
                == .advertisingData(
                    first.advertisingData, set: family == .legacy ? 0 : 1, family))
    }

    @Test("turns go on after another program's interference", arguments: families)
    func interference(family: CommandFamily) throws {
        let bench = try Bench.settled(family, isExclusive: false, .on(Self.all))
        try bench.wait(1_000_000)
        try bench.meddle(.advertisingEnable(false, family))
        try bench.wait(3_000_000)
        #expect(bench.state.advertising == Self.all && bench.controller.interferences == 1)
        bench.forget()
        try bench.wait(3_000_000)
        #expect(!bench.sent.isEmpty)
    }
}

extension BeaconFormats {
    fileprivate var words: [String] {
        BeaconIdentity.Format.allCases.filter { contains(BeaconFormats($0)) }.map { "\($0)" }
    }
}
