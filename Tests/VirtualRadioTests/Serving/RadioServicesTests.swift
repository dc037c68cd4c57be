import Beacons
import Foundation
import HCI
import Posix
import TestSupport
import Testing

@testable import VirtualRadio

@Suite struct RadioServicesTests {
    /// Two stations on sockets in a temporary folder, each with a running thread.
    private final class RunningStations: Sendable {
        let folder: TemporaryFolder
        private let stop: EventCounter
        private let changes = Guarded<[(gateway: String, minors: [UInt16])]>([])
        private let outcomes = Guarded<[RadioServices.Outcome]>([])
        private let thread: Guarded<ThreadBox?> = Guarded(nil)

        private final class ThreadBox: @unchecked Sendable {
            // Written once and joined once, so it needs no lock.
            var thread: Posix.Thread?
        }

        static let families = ["entry-1": CommandFamily.legacy, "till-1": .extended]

        init(keepsPower: Bool = false, faults: [String: [Misbehaviour]] = [:]) throws {
            folder = try TemporaryFolder()
            stop = try EventCounter()
            let air = SharedAir()
            var posts: [RadioServices.Post] = []
            var scenario = Scenario(uuid: organisation)
            scenario.gateways = [
                Scenario.Gateway(id: "entry-1", place: Point(x: 0, y: 0)),
                Scenario.Gateway(id: "till-1", place: Point(x: 4, y: 3)),
            ]
            for id in ["entry-1", "till-1"] {
                let station = try Station(
                    live: scenario, gateway: id,
                    configuration: .init(
                        family: Self.families[id] ?? .legacy, address: .init(id.utf8.count)),
                    faults: faults[id] ?? [])
                let changes = changes
                let service = try RadioService(
                    at: .socket(.unix(path: folder.file(id))), air: air, keepsPower: keepsPower
                ) { all in
                    let minors = all.compactMap(\.beacon?.identity.minor)
                    changes.withLock { $0.append((id, minors)) }
                }
                posts.append(.init(station, service))
            }
            let (outcomes, number, all) = (outcomes, stop.descriptor.rawValue, posts)
            let box = ThreadBox()
            box.thread = try Posix.Thread(name: "stations") {
                let ends = (try? RadioServices.run(all, stop: number)) ?? []
                outcomes.withLock { $0 = ends }
            }
            thread.withLock { $0 = box }
        }

        func host(_ id: String) throws -> Host {
            Host(
                try Sockets.connect(to: .unix(path: folder.file(id))), Self.families[id] ?? .legacy)
        }

        /// The changes on the air of a gateway, in order.
        func changesOnAir(of gateway: String) -> [[UInt16]] {
            changes.withLock { $0.filter { $0.gateway == gateway }.map(\.minors) }
        }

        /// Ends all threads, and returns the outcomes of their stations.
        func close() -> [RadioServices.Outcome] {
            stop.signal()
            thread.withLock { $0 }?.thread.take()?.join()
            return outcomes.withLock { $0 }
        }
    }

    /// The other end of a connection.
    private final class Host {
        private let descriptor: Descriptor
        private let family: CommandFamily
        private(set) var heard: [BeaconIdentity: Int] = [:]
        private var rest: [UInt8] = []

        init(_ descriptor: consuming Descriptor, _ family: CommandFamily) {
            self.descriptor = descriptor
            self.family = family
        }

        /// Sends commands, and waits for one answer to each.
        func send(_ commands: [HCICommand]) throws {
            for command in commands {
                try descriptor.writeAll(command.packet)
                let opcode = command.opcode.rawValue.littleEndianBytes
                try read { event in event[1] == 0x0e && Array(event[4...5]) == opcode }
            }
        }

        func advertise(_ minor: UInt16) throws {
            try send(StationGroup.advertise(minor: minor, family))
        }
        func scan() throws { try send(StationGroup.scan(family)) }

        func hear(_ identity: BeaconIdentity, times: Int) throws {
            let before = heard[identity] ?? 0
            try read { _ in self.heard[identity] ?? 0 >= before + times }
        }

        private func read(until isEnough: ([UInt8]) -> Bool) throws {
            while true {
                while rest.count >= 3, rest.count >= 3 + Int(rest[2]) {
                    let event = Array(rest.prefix(3 + Int(rest[2])))
                    rest.removeFirst(event.count)
                    for (_, data) in try reports(in: event) {
                        let beacon = try data.withBytes { try IBeacon(advertisingData: $0) }
                        if let beacon { heard[beacon.identity, default: 0] += 1 }
                    }
                    if isEnough(event) { return }
                }
                let happened = try Poll.wait(
                    for: [Poll.Interest(descriptor.rawValue)], timeout: 20_000)
                try #require(happened[0] != [], "nothing came")
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = buffer.withUnsafeMutableBytes {
                    Glibc.read(descriptor.rawValue, $0.baseAddress, $0.count)
                }
                try #require(count > 0, "the connection is over")
                rest += buffer.prefix(count)
            }
        }
    }

    @Test("two stations in two threads receive each other's packets and none of their own")
    func mutual() throws {
        let stations = try RunningStations()
        defer { _ = stations.close() }
        let (entry, till) = (try stations.host("entry-1"), try stations.host("till-1"))
        try entry.scan()
        try till.scan()
        try entry.advertise(1)
        try till.advertise(2)
        try entry.hear(StationGroup.identity(2), times: 5)
        try till.hear(StationGroup.identity(1), times: 5)
        #expect(entry.heard[StationGroup.identity(1)] == nil)
        #expect(till.heard[StationGroup.identity(2)] == nil)
        let outcomes = stations.close()
        #expect(outcomes.map(\.station.gateway.id) == ["entry-1", "till-1"])
        #expect(outcomes.allSatisfy { $0.failure == nil })
        for (outcome, other) in zip(outcomes, [UInt16(2), 1]) {
            var station = outcome.station
            let tally = station.tally()
            let sent = tally.sent[StationGroup.identity(other)] ?? 0
            #expect(sent >= 5)
            #expect(tally.heard == [StationGroup.identity(other): sent])
        }
        // The end of the stations is not reported as a change.
        #expect(stations.changesOnAir(of: "entry-1") == [[1]])
    }

    @Test("a change on the air is reported before its command is answered") func order() throws {
        let stations = try RunningStations()
        defer { _ = stations.close() }
        let entry = try stations.host("entry-1")
        for minor: UInt16 in 1...20 {
            try entry.advertise(minor)
            #expect(stations.changesOnAir(of: "entry-1").last == [minor])
            try entry.send([.advertisingEnable(false, .legacy)])
            #expect(stations.changesOnAir(of: "entry-1").last == [])
        }
    }

    @Test("a disconnected host is off the air") func gone() throws {
        let stations = try RunningStations()
        defer { _ = stations.close() }
        try stations.host("entry-1").advertise(1)
        #expect(Deadline.wait { stations.changesOnAir(of: "entry-1") == [[1], []] })
    }

    @Test("a controller that keeps its power continues to advertise for the next host")
    func keepPower()
        throws
    {
        let stations = try RunningStations(keepsPower: true)
        defer { _ = stations.close() }
        try stations.host("till-1").advertise(2)
        let entry = try stations.host("entry-1")
        try entry.scan()
        try entry.hear(StationGroup.identity(2), times: 5)
        // As with an adapter, the next host can retune without a setup.
        let next = try stations.host("till-1")
        try next.send([.advertisingData(StationGroup.beacon(3).advertisingData, .extended)])
        try entry.hear(StationGroup.identity(3), times: 2)
        #expect(stations.changesOnAir(of: "till-1") == [[2], [3]])
    }

    @Test("one failed station ends all stations") func failure() throws {
        let folder = try TemporaryFolder()
        var scenario = Scenario(uuid: organisation)
        scenario.gateways = ["a", "b"].map { .init(id: $0, place: Point(x: 0, y: 0)) }
        let stop = try EventCounter()
        let places: [RadioService.Place] = [
            .socket(.unix(path: folder.file("a"))), .vhci(path: folder.file("nowhere/vhci")),
        ]
        let posts = try zip(scenario.gateways, places).map { gateway, place in
            RadioServices.Post(
                try Station(
                    live: scenario, gateway: gateway.id,
                    configuration: .init(family: .legacy, address: 1)),
                try RadioService(at: place))
        }
        let outcomes = try RadioServices.run(posts, stop: stop.descriptor.rawValue)
        #expect(outcomes.map(\.failure) == [nil, .noSuchFile])
    }
}
