import Beacons
import Facts
import Primitives
import Queueing
import Testing

@testable import Regions

@Suite("events of a region")
struct RegionEstimatorTests {
    private static func events(
        _ windows: [(gateway: String, window: WindowFact)], _ table: RegionTable
    ) -> [RegionEstimator.Publication] {
        var estimator = RegionEstimator(table)
        for (gateway, window) in windows { estimator.take(window, from: gateway) }
        return estimator.finish()
    }

    private static func ofGateway(
        _ gateway: String, _ windows: [WindowFact]
    ) -> [(gateway: String, window: WindowFact)] {
        windows.map { (gateway, $0) }
    }

    @Test("a beacon enters by its first reports, and leaves after its silence")
    func enterAndExit() throws {
        let table = Scene.table { $0.exit = .seconds(10) }
        let windows = Scene.windows(0..<60) { (5..<30).contains($0) }
        let events = Self.events(Self.ofGateway("a", windows), table)
        #expect(events.words == ["enter 7", "exit 39"])
        #expect(events.first?.event.at == Scene.second(5).start)
        let exit = try #require(events.last?.event)
        #expect(exit.why.silence == .seconds(10))
        #expect(exit.why.deadline == .seconds(10))
        #expect(exit.why.gateways == ["a"])
        #expect(exit.at > Scene.second(29).start)
        #expect(exit.at < Scene.second(30).start)
    }

    @Test("a deaf gateway makes no exit: the beacon is unknown, and in again when it is heard")
    func deafGateway() {
        let table = Scene.table()
        let windows = Scene.windows(0..<900, heard: { $0 < 700 }, deaf: 300..<600)
        let events = Self.events(Self.ofGateway("a", windows), table)
        #expect(events.words.prefix(3) == ["enter 2", "unknown 310", "enter 601"])
        #expect(events.map(\.event.kind) == [.enter, .unknown, .enter, .exit])
    }

    @Test("a beacon that leaves while the gateway is deaf exits afterwards")
    func leftWhileDeaf() {
        let table = Scene.table { $0.exit = .seconds(20) }
        let windows = Scene.windows(0..<900, heard: { $0 < 300 }, deaf: 300..<600)
        let events = Self.events(Self.ofGateway("a", windows), table)
        #expect(events.words == ["enter 2", "unknown 310", "exit 619"])
    }

    @Test("a beacon that goes from one gateway to another stays in the region")
    func twoGateways() throws {
        let table = Scene.table(gateways: ["a", "b"]) { $0.exit = .seconds(10) }
        let windows =
            Self.ofGateway("a", Scene.windows(0..<200) { (20..<60).contains($0) })
            + Self.ofGateway("b", Scene.windows(0..<200) { (55..<100).contains($0) })
        let events = Self.events(windows, table)
        #expect(events.words == ["enter 22", "exit 109"])
        #expect(events.last?.event.why.gateways == ["b"])
    }

    @Test("a beacon is unknown while a gateway that may have it is deaf")
    func hiddenByOther() {
        let table = Scene.table(gateways: ["a", "b"]) { $0.exit = .seconds(10) }
        let windows =
            Self.ofGateway("a", Scene.windows(0..<200) { (20..<60).contains($0) })
            + Self.ofGateway("b", Scene.windows(0..<200, heard: { _ in false }, deaf: 50..<150))
        #expect(Self.events(windows, table).words == ["enter 22", "unknown 69", "exit 160"])
    }

    @Test("the order and the repetition of messages change no event", arguments: 1...5)
    func determinism(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let table = Scene.table(gateways: ["a", "b"])
        var windows: [(gateway: String, window: WindowFact)] = []
        for gateway in ["a", "b"] {
            for second in 0..<1200 {
                var reports: [Facts.Tag: Int] = [:]
                for tag in 1...6 where random.next() % 10 < 5 + UInt64(tag) / 2 {
                    let isAway = (second / (60 + tag * 17)) % 3 == 1
                    guard !isAway else { continue }
                    reports[Facts.Tag(rawValue: UInt64(tag))] = Int(random.next() % 4) + 1
                }
                windows.append((gateway, Scene.window(second, reports)))
            }
        }
        let expected = Self.events(windows, table)
        #expect(expected.count > 20)
        windows += windows.filter { _ in random.next() % 10 == 0 }
        windows.shuffle(using: &random)
        #expect(Self.events(windows, table) == expected)
    }

    @Test("live events are the final ones, each published once")
    func liveEvents() {
        let table = Scene.table { $0.exit = .seconds(10) }
        let windows = Scene.windows(0..<300) { (20..<100).contains($0) || $0 > 200 }
        var estimator = RegionEstimator(table)
        var published: [RegionEstimator.Publication] = []
        for (second, window) in windows.enumerated() {
            estimator.take(window, from: "a")
            let new = estimator.advance(through: Scene.second(second + 3))
            // Each is published as soon as its second is folded.
            #expect(new.allSatisfy { $0.event.decidedAt >= Scene.second(second - 1).start })
            published += new
        }
        published += estimator.finish()
        #expect(published.words == ["enter 22", "exit 109", "enter 203"])
    }

    @Test("a person of whom a dead gateway can't tell has left after a day")
    func deadGateway() {
        let table = Scene.table(gateways: ["a", "b"]) { $0.exit = .seconds(10) }
        let seconds = Array(0..<60) + Array(stride(from: 60, to: 90_000, by: 60))
        let windows = Self.ofGateway(
            "a", seconds.map { Scene.window($0, $0 < 20 ? [Scene.visitor: 2] : [:]) })
        let events = Self.events(windows, table)
        #expect(events.map(\.event.kind) == [.enter, .unknown, .exit])
        let silence = events.last.map { $0.event.decidedAt - Scene.second(20).start }
        #expect(silence.map { $0 >= .seconds(86_400) && $0 < .seconds(86_500) } ?? false)
    }

    @Test("an exit after which the beacon comes back within three minutes is a flap")
    func flaps() {
        func flaps(gap: Int) -> Int {
            var estimator = RegionEstimator(Scene.table { $0.exit = .seconds(20) })
            for window in Scene.windows(0..<700, heard: { $0 < 300 || $0 >= 300 + gap }) {
                estimator.take(window, from: "a")
            }
            _ = estimator.finish()
            return estimator.flaps
        }
        #expect(flaps(gap: 10) == 0)
        #expect(flaps(gap: 60) == 1)
        #expect(flaps(gap: 300) == 0)
    }

    @Test("a late message withdraws the event that did not happen")
    func withdrawal() {
        let table = Scene.table { $0.exit = .seconds(10) }
        let windows = Scene.windows(0..<120) { $0 >= 20 && ($0 < 40 || $0 == 45 || $0 == 52) }
        var estimator = RegionEstimator(table)
        var published: [RegionEstimator.Publication] = []
        for (second, window) in windows.enumerated() {
            // This message comes half a minute late.
            if second != 45 { estimator.take(window, from: "a") }
            if second == 80 { estimator.take(windows[45], from: "a") }
            published += estimator.advance(through: Scene.second(second + 3))
        }
        published += estimator.finish()
        #expect(
            published.words == ["enter 22", "exit 50", "withdrawn exit 50", "exit 62"]
                || published.words == ["enter 22", "exit 50", "exit 62", "withdrawn exit 50"])
    }

    @Test("a gateway without any message is unknown, and so is the region")
    func present() {
        let table = Scene.table(gateways: ["a", "b"])
        var estimator = RegionEstimator(table)
        #expect(estimator.now.map(\.state) == [.unknown])
        for window in Scene.windows(0..<60, heard: { $0 > 20 }) {
            estimator.take(window, from: "a")
        }
        _ = estimator.advance(through: Scene.second(60))
        let now = estimator.now
        #expect(now.map(\.state) == [.degraded])
        #expect(now.map(\.inside) == [1])
        #expect(now.first?.byKind == [.visitor: 1])
        #expect(now.first?.reasons.map(\.gateway) == ["b"])
        let why = estimator.presences(of: Scene.visitor)
        #expect(why.map(\.region) == ["r"])
        #expect(why.first?.gateways.map(\.name) == ["a"])
    }

    @Test("a beacon of another region's filter has no event")
    func filters() throws {
        let uuid = try #require(ProximityUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0"))
        var table = RegionTable(
            SiteLayout {
                $0.site = "s"
                $0.beacons.fixed = [
                    BeaconRange {
                        $0.uuid = uuid
                        $0.major = 7...7
                    }
                ]
                $0.regions = ["all", "visitors", "seven"].map { name in
                    RegionLayout {
                        $0.name = name
                        $0.gateways = ["a"]
                        if name == "visitors" { $0.kind = .visitor }
                        if name != "visitors" {
                            $0.beacons = [
                                BeaconRange {
                                    $0.uuid = uuid
                                    if name == "seven" { $0.major = 7...7 }
                                }
                            ]
                        }
                    }
                }
            })
        let ofSeven = table.subject(BeaconIdentity(uuid: uuid, major: 7, minor: 1))
        let ofEight = table.subject(BeaconIdentity(uuid: uuid, major: 8, minor: 1))
        let fixed = try #require(ofSeven)
        #expect(fixed.regions == [0, 2])
        #expect(fixed.identity != nil)
        let visitor = try #require(ofEight)
        #expect(visitor.regions == [0, 1])
        #expect(visitor.identity == nil)
    }

    @Test("one report in a window across the border of a second never enters")
    func oneReport() {
        let start = Scene.second(5).start + .milliseconds(500)
        let seen = start + .milliseconds(200)
        var windows = (0..<5).map { Scene.window($0) }
        windows.append(
            WindowFact(
                session: "1", numbers: 5...5, span: start..<start + .seconds(1),
                readings: [
                    Reading(
                        tag: Scene.visitor, power: -60, count: 2, seen: seen...seen, senders: 1)
                ]))
        windows += (7..<20).map { Scene.window($0) }
        let near = Self.events(Self.ofGateway("a", windows), Scene.table())
        #expect(near.words.first == "enter 6")
        let far = windows.map { window in
            WindowFact(
                session: window.session, numbers: window.numbers, span: window.span,
                readings: window.readings.map {
                    Reading(tag: $0.tag, power: -85, count: $0.count, seen: $0.seen, senders: 1)
                })
        }
        #expect(Self.events(Self.ofGateway("a", far), Scene.table()).isEmpty)
    }

    @Test("a flood of identities keeps a beacon out for some seconds only")
    func flood() {
        var detector = GatewayDetector(rule: .fixed(.seconds(10)))
        func hear(_ tags: Range<UInt64>, _ second: Int) -> [GatewayDetector.Change] {
            let start = Scene.second(second).start
            return detector.on(
                GatewaySecond(
                    heard: .seconds(1),
                    levels: tags.map {
                        GatewaySecond.Level(
                            tag: Tag(rawValue: $0), power: -85, senders: 1, reports: 2,
                            seen: start...start)
                    }), at: Scene.second(second))
        }
        _ = hear(100..<UInt64(100 + GatewayDetector.most), 0)
        #expect(hear(1..<2, 5).isEmpty)
        #expect(detector.refused == 1)
        let changes = (11..<14).flatMap { hear(1..<2, $0) }
        #expect(changes.map(\.tag) == [Tag(rawValue: 1)])
        #expect(detector.refused == 1)
    }
}
