import Contract
import Facts
import JSON
import MessageSamples
import Primitives
import Queueing
import Sightings
import Subscriber
import Testing

@testable import Server

@Suite("states of gateways in the server")
struct GatewayMonitorTests {
    private let start = Instant(microseconds: 1_000_000)

    func at(_ seconds: Int64) -> Instant { start.advanced(byMilliseconds: seconds * 1000) }

    func window(
        _ seq: UInt64, deaf: Bool = false, isSynced: Bool = true
    ) -> SightingsMessage {
        SightingsMessage(
            site: "s", gateway: "g", session: "a", seq: seq,
            windowStart: UnixTime(second: Int64(seq)),
            windowEnd: UnixTime(second: Int64(seq) + 1), clock: isSynced ? .synced : .unsynced,
            radio: RadioCounts(),
            state: deaf ? .deaf : .hearing, sightings: [])
    }

    func status(_ state: StatusMessage.State, session: String = "a") -> StatusMessage {
        StatusMessage(state: state, session: session, at: 0, version: "1", clock: .synced)
    }

    @Test("a gateway without a message is unknown, never online")
    func unknown() {
        var monitor = GatewayMonitor(wall: 5)
        monitor.onConnection(true, at: at(0))
        let result1 = monitor.update(at: at(100), wall: 9)
        #expect(!result1)
        #expect(monitor.condition == .unknown)
        #expect(monitor.since == 5)
    }

    @Test("its tuning is the beacon that it is, and the layers in force")
    func tuning() throws {
        var monitor = GatewayMonitor(wall: 0)
        #expect(monitor.json("g", isConfigured: true)["tuning"] == .null)
        let advertise: JSON = [
            "enabled": true, "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 42,
            "minor": 7,
        ]
        var report = ReportedMessage(
            session: "a", versions: LayerVersions(fleet: 3), status: .applied, errors: [],
            effective: ["advertise": advertise],
            radio: ReportedMessage.Radio(advertising: true, intervalMs: 101.25, txPowerDbm: 4),
            isPersisted: true)
        monitor.on(report)
        let beacon: JSON = "e2c56db5-dffb-48d2-b060-d0f5a71096e0/42/7"
        #expect(
            monitor.json("g", isConfigured: true)["tuning"]
                == [
                    "beacon": beacon, "intervalMs": .number(101.25), "txPowerDbm": 4, "fleet": 3,
                    "site": .null, "gateway": .null,
                ])
        // The controller refused it.
        report.radio.advertising = false
        monitor.on(report)
        #expect(monitor.json("g", isConfigured: true)["tuning"]?["beacon"] == .null)
    }

    @Test("before the kept status, windows alone do not make a gateway online")
    func keptStatus() {
        for isKept in [true, false] {
            var monitor = GatewayMonitor(wall: 0)
            monitor.onConnection(true, at: at(0))
            var conditions: [GatewayCondition] = []
            for second in 1...5 as ClosedRange<Int64> {
                let wall = UnixTime(second: second)
                monitor.on(window(UInt64(second)), at: at(second), wall: wall)
                if isKept, second == 2 { monitor.on(status(.degraded)) }
                _ = monitor.update(at: at(second), wall: wall)
                conditions.append(monitor.condition)
            }
            let later: [GatewayCondition] =
                isKept
                ? [.degraded, .degraded, .degraded, .degraded]
                : [.unknown, .unknown, .unknown, .online]
            #expect(conditions == [.unknown] + later)
        }
    }

    @Test("an absent gateway has no present numbers, and the API says that its clock is accepted")
    func numbers() {
        var monitor = GatewayMonitor(wall: 0)
        let names = ["reportsPerSecond", "clock"]
        func numbers() -> [JSON?] { names.map { monitor.json("g", isConfigured: true)[$0] } }
        #expect(numbers() == [.null, .null])
        monitor.onConnection(true, at: at(0))
        monitor.on(status(.online))
        monitor.on(window(0, isSynced: false), at: at(1), wall: 1000)
        _ = monitor.update(at: at(2), wall: 2000)
        #expect(numbers() == [.number(0), "unsynced"])
        _ = monitor.update(at: at(2), wall: 2000, acceptsUnsyncedClock: true)
        #expect(monitor.condition == .online)
        #expect(numbers() == [.number(0), "accepted"])
        _ = monitor.update(at: at(17), wall: 17_000, acceptsUnsyncedClock: true)
        #expect(monitor.condition == .silent)
        #expect(numbers() == [.null, .null])
    }

    @Test("a gateway is silent 15 s after its last window, and the state began with that window")
    func silent() {
        var monitor = GatewayMonitor(wall: 0)
        monitor.onConnection(true, at: at(0))
        monitor.on(status(.online))
        monitor.on(window(0), at: at(1), wall: 1000)
        let result2 = monitor.update(at: at(2), wall: 2000)
        #expect(result2)
        #expect(monitor.condition == .online)
        let result3 = monitor.update(at: at(16), wall: 16_000)
        #expect(!result3)
        let result4 = monitor.update(at: at(17), wall: 17_000)
        #expect(result4)
        #expect(monitor.condition == .silent)
        #expect(monitor.since == 1000)
    }

    @Test("the backlog is that of the gateway's health message")
    func backlog() throws {
        var monitor = GatewayMonitor(wall: 0)
        let text = #"{"v":1,"session":"a","outbox":{"batches":12}}"#
        monitor.onConnection(true, at: at(0))
        monitor.on(status(.online))
        monitor.on(try Health(decoding: Array(text.utf8)))
        monitor.on(window(0), at: at(1), wall: 1000)
        _ = monitor.update(at: at(1), wall: 1000)
        #expect(monitor.json("g", isConfigured: true)["backlog"] == 12)
    }

    @Test("the server has the conditions of watch and status", arguments: GatewaySample.all)
    func samples(_ sample: GatewaySample) throws {
        var monitor = GatewayMonitor(wall: 0)
        monitor.onConnection(true, at: at(0))
        monitor.on(sample.status)
        monitor.on(try Health(decoding: sample.health.encoded))
        monitor.on(sample.report)
        if let window = sample.window { monitor.on(window, at: at(1), wall: window.windowEnd) }
        _ = monitor.update(at: at(2), wall: 2000)
        #expect(monitor.condition == sample.condition)
        #expect(
            monitor.json("g", isConfigured: true)["state"] == .string(sample.condition.rawValue))
        // A clock that is not set is no problem of a site that accepts it.
        _ = monitor.update(at: at(2), wall: 2000, acceptsUnsyncedClock: true)
        #expect(monitor.condition == sample.accepted)
    }

    @Test("other numbers are sent after a pause, a changed condition at once, and equal ones never")
    func sent() {
        var gateways = MonitoredGateways(configured: ["a"], wall: 0)
        gateways.onConnection(true, at: at(0))
        gateways.update("a", wall: 0) { $0.on(status(.online)) }
        var sent: [Int64: JSON] = [:]
        for second in 1...60 as ClosedRange<Int64> {
            let wall = UnixTime(milliseconds: second * 1000)
            if second < 35 {
                let message = window(UInt64(second))
                gateways.update("a", wall: wall) { $0.on(message, at: at(second), wall: wall) }
            }
            let documents = gateways.tick(
                at: at(second), wall: wall, acceptsUnsyncedClocks: false
            ).map { $0.json(for: .read) }
            #expect(documents.isEmpty || documents == gateways.results.map { $0.json(for: .read) })
            sent[second] = documents.first
        }
        #expect(sent.keys.sorted() == [1, 11, 21, 31, 41, 50])
        #expect(sent[31]?["lastMessage"] == 31_000)
        #expect(sent[50]?["state"] == "silent")
    }

    @Test("a gateway of which nothing comes is named with the nearest unused name")
    func unheard() {
        var gateways = MonitoredGateways(configured: ["entry-1", "till-l", "x"], wall: 0)
        gateways.onConnection(true, at: at(0))
        for name in ["entry-1", "till-1"] {
            gateways.update(name, wall: 0) { $0.on(status(.online)) }
        }
        #expect(gateways.unheard(at: at(19)).isEmpty)
        let unheard = gateways.unheard(at: at(20))
        #expect(unheard.map(\.gateway) == ["till-l", "x"])
        #expect(unheard.map(\.nearest) == ["till-1", nil])
        gateways.update("x", wall: 0) { $0.on(window(0), at: at(21), wall: 0) }
        #expect(gateways.unheard(at: at(21)).map(\.gateway) == ["till-l"])
        gateways.onConnection(false, at: at(22))
        #expect(gateways.unheard(at: at(90)).isEmpty)
    }

    @Test("a gateway that no queue names is not configured")
    func configured() {
        var gateways = MonitoredGateways(configured: ["a"], wall: 0)
        gateways.update("b", wall: 0) { $0.on(status(.online)) }
        let configured = gateways.results.map { $0.json(for: .read) }.map {
            ($0["gateway"], $0["configured"])
        }
        #expect(configured.count == 2)
        #expect(configured.allSatisfy { $0.1 == .bool($0.0 == "a") })
    }

    @Test("gateways beyond the limit are counted, not kept")
    func bounded() {
        var gateways = MonitoredGateways(configured: ["a"], wall: 0)
        for index in 0..<1000 { gateways.update("x\(index)", wall: 0) { _ in } }
        #expect(gateways.results.count == 65)
        #expect(gateways.ignored == 936)
    }
}
