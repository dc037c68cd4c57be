import Beacons
import HCI
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct StationTests {
    private let morning = Instant.seconds(1_780_000_000)

    private func station(
        _ name: String, _ family: CommandFamily = .legacy, gateway: String = "entry-1",
        faults: [Misbehaviour] = [], start: Instant = .seconds(0), worldTime: Instant? = nil
    ) throws -> Station {
        try Station(
            try scenario(name), gateway: gateway,
            configuration: .init(family: family, address: 0x0200_0000_0001), faults: faults,
            start: start, worldTime: worldTime ?? morning)
    }

    /// Sets the station up as the agent does, at `time`.
    private func listen(
        _ station: inout Station, _ family: CommandFamily, at time: Instant = .seconds(0)
    ) {
        for command in [
            .reset, .setEventMask, .leSetEventMask, .scanParameters(.continuous, family),
            .scanEnable(true, family),
        ] as [HCICommand] { station.receive(command.packet, at: time) }
        _ = station.takeOutput()
    }

    @Test(
        "with loss off every packet is delivered, once",
        arguments: [CommandFamily.legacy, .extended]) func withoutLoss(
            _ family: CommandFamily
        ) throws
    {
        var station = try station("busy", family)
        listen(&station, family)
        var counts: [BeaconIdentity: Int] = [:]
        for tick in 1...2100 as ClosedRange<Int64> {
            let time = Instant.microseconds(tick * 10_000)
            station.advance(to: time)
            for report in try reports(in: station.takeOutput()) {
                let beacon = try report.data.withBytes { try IBeacon(advertisingData: $0) }
                counts[try #require(beacon).identity, default: 0] += 1
            }
        }
        #expect(counts.count == 200)
        #expect(counts.values.allSatisfy { (199...201).contains($0) })
        let tally = station.tally()
        #expect(tally.sent == counts)
        #expect(tally.delivered == Dictionary(uniqueKeysWithValues: counts.map { ($0, $1) }))
        #expect(tally.heard == tally.delivered)
    }

    @Test("the same run gives the same bytes") func determinism() throws {
        let runs = try (0..<2).map { _ in
            var station = try station("queue")
            listen(&station, .legacy)
            station.advance(to: .seconds(5))
            return station.takeOutput()
        }
        #expect(runs[0].count > 10_000)
        #expect(runs[0] == runs[1])
    }

    @Test("a station that starts later on another clock receives the same packets")
    func laterStart() throws {
        var first = try station("queue")
        listen(&first, .legacy)
        first.advance(to: .seconds(300))
        _ = first.takeOutput()
        // Five minutes later, on a machine with another boot time.
        var second = try station(
            "queue", start: .microseconds(77), worldTime: morning + .seconds(300))
        listen(&second, .legacy, at: .microseconds(77))
        first.advance(to: .seconds(303))
        second.advance(to: .microseconds(3_000_077))
        let (one, other) = (first.takeOutput(), second.takeOutput())
        #expect(one.count > 10_000)
        #expect(one == other)
    }

    @Test("a fault occurs at its time, after the reports before it") func faultTime()
        throws
    {
        var station = try station(
            "busy", faults: [Misbehaviour(at: .seconds(2), .silent(.seconds(1)))])
        listen(&station, .legacy)
        station.advance(to: .seconds(4))
        let count = try reports(in: station.takeOutput()).count
        let perSecond = 200 * 2 / 0.210
        #expect(abs(Double(count) - 3 * perSecond) < 100, "\(count)")
    }

    @Test(
        "a fault after the first scan counts from that scan, not from the start or from a later one"
    )
    func faultAfterScan() throws {
        let fault = Misbehaviour(at: .seconds(2), after: .firstScan, .silent(nil))
        var station = try station("busy", faults: [fault])
        station.advance(to: .seconds(10))
        listen(&station, .legacy, at: .seconds(10))
        station.advance(to: .seconds(11))
        // It discards the reports of the first second.
        listen(&station, .legacy, at: .seconds(11))
        station.advance(to: .seconds(15))
        let count = try reports(in: station.takeOutput()).count
        let perSecond = 200 * 2 / 0.210
        #expect(abs(Double(count) - perSecond) < 100, "\(count)")
    }

    @Test("a dropped connection stays closed for its duration")
    func droppedConnection()
        throws
    {
        var station = try station(
            "busy", faults: [Misbehaviour(at: .seconds(1), .close(.seconds(3)))])
        station.advance(to: .microseconds(999_999))
        #expect(!station.isClosed(at: .microseconds(999_999)))
        station.advance(to: .seconds(1))
        #expect(station.isClosed(at: .seconds(1)))
        #expect(station.isClosed(at: .microseconds(3_999_999)))
        #expect(!station.isClosed(at: .seconds(4)))
    }

    @Test("a step of the wall clock does not change the rate of packets")
    func clockStep() throws {
        var station = try station("busy")
        listen(&station, .legacy)
        station.advance(to: .seconds(1))
        _ = station.takeOutput()
        station.synchronise(worldTime: morning - .seconds(3600), at: .seconds(1))
        station.advance(to: .seconds(2))
        let count = try reports(in: station.takeOutput()).count
        #expect(abs(Double(count) - 200 * 2 / 0.210) < 100, "\(count)")
    }

    @Test("the error for an unknown gateway lists the known ones")
    func unknownGateway() throws {
        #expect(throws: Station.UnknownGateway(id: "exit", known: ["entry-1", "till-1"])) {
            _ = try station("busy", gateway: "exit")
        }
    }

    @Test("the tally is JSON") func theTallyIsJSON() throws {
        var station = try station("busy")
        listen(&station, .legacy)
        station.advance(to: .seconds(1))
        _ = station.takeOutput()
        let json = try JSONReading.object(station.tally().json)
        let identities = try #require(json["identities"] as? [[String: Any]])
        #expect(identities.count == 200)
        #expect(json["gateway"] as? String == "entry-1")
        let total = identities.compactMap { $0["delivered"] as? Int }.reduce(0, +)
        #expect(json["delivered"] as? Int == total)
    }

    @Test("the tally has separate counts for each host") func tallyOfHosts() throws {
        var station = try station("busy")
        var received: [Int] = []
        for index in 1...3 as ClosedRange<Int64> {
            station.hostHasCome(at: .microseconds(index * 1000))
            listen(&station, .legacy, at: .seconds(index - 1))
            station.advance(to: .seconds(index))
            received.append(try reports(in: station.takeOutput()).count)
            station.hostIsGone(keepingPower: false)
        }
        let tally = station.tally()
        #expect(tally.hosts.map(\.begun.milliseconds) == [1, 2, 3])
        #expect(tally.hosts.map { $0.delivered.values.reduce(0, +) } == received)
        #expect(received.allSatisfy { $0 > 0 })
        let json = try JSONReading.object(tally.json)
        let hosts = try #require(json["hosts"] as? [[String: Any]])
        let identities = try #require(json["identities"] as? [[String: Any]])
        for (index, identity) in identities.enumerated() {
            let reported = hosts.compactMap { ($0["delivered"] as? [Int])?[index] }
            #expect(reported.reduce(0, +) == identity["delivered"] as? Int)
        }
    }
}
