import Facts
import Primitives
import Queueing
import Testing

@testable import Regions

@Suite("regions after a restart")
struct RegionRestartTests {
    @Test("a person of before a restart has left after a day, where a gateway is dead")
    func deadSinceRestart() {
        var estimator = RegionEstimator(Scene.table(gateways: ["a", "b"]))
        estimator.restore(Scene.visitor, Scene.subject, in: "r", at: Scene.second(-5).start)
        for second in stride(from: 0, to: 90_000, by: 60) {
            estimator.take(Scene.window(second), from: "a")
        }
        let events = estimator.finish()
        #expect(events.map(\.event.kind) == [.exit])
        let time = events.first.map { $0.event.decidedAt - Scene.start.start }
        #expect(time.map { $0 >= .seconds(86_400) && $0 < .seconds(86_500) } ?? false)
    }

    @Test("one report is enough until the beacon of before a restart has left")
    func expected() {
        // The deadline begins when the gateway b listens again.
        func events(heardAt second: Int) -> [RegionEstimator.Publication] {
            var estimator = RegionEstimator(Scene.table(gateways: ["a", "b"]))
            estimator.restore(Scene.visitor, Scene.subject, in: "r", at: Scene.second(-5).start)
            for number in 0..<600 {
                let isHeard = number >= second && (number - second) % 20 == 0
                estimator.take(Scene.window(number, isHeard ? [Scene.visitor: 1] : [:]), from: "a")
                estimator.take(
                    Scene.window(number, state: number < 300 ? .deaf : .hearing), from: "b")
            }
            return estimator.finish()
        }
        #expect(events(heardAt: 400).isEmpty)
        #expect(events(heardAt: 500).map(\.event.kind) == [.exit])
    }

    @Test("after a restart, one report enters no region in which a person was not")
    func sharedGateway() {
        let table = RegionTable(
            SiteLayout {
                $0.site = "s"
                $0.regions = [("shop", ["a", "b"]), ("entry", ["b"])].map { name, gateways in
                    RegionLayout {
                        $0.name = name
                        $0.gateways = gateways
                        $0.kind = .visitor
                    }
                }
            })
        let subject = RegionTable.Subject(regions: [0, 1], kind: .visitor, identity: nil)
        func events(_ restored: [String], isLive: Bool) -> [String] {
            var estimator = RegionEstimator(table)
            for region in restored {
                let index = region == "shop" ? 0 : 1
                estimator.restore(
                    Scene.visitor,
                    RegionTable.Subject(regions: [index], kind: .visitor, identity: nil),
                    in: region, at: Scene.second(-5).start)
            }
            var events: [RegionEstimator.Publication] = []
            for second in 0..<60 {
                estimator.take(Scene.window(second), from: "a")
                _ = estimator.take(
                    Scene.window(second, second == 30 ? [Scene.visitor: 1] : [:]), from: "b",
                    heard: second == 30 ? [Scene.visitor: subject] : [:])
                if isLive { events += estimator.advance(through: Scene.second(second + 2)) }
            }
            return (events + estimator.finish()).map { "\($0.event.kind) \($0.event.region)" }
        }
        for isLive in [false, true] {
            #expect(events(["shop"], isLive: isLive).isEmpty)
            #expect(events(["shop", "entry"], isLive: isLive).isEmpty)
        }
    }
}
