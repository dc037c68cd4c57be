import Beacons
import Primitives

/// A controller at its place in the world, with its misbehaviours.
///
/// It has no clock. Times are on the radio's timeline, which never steps; `worldTime`
/// maps them to the world. With real clocks it is live; in a loop it is a simulation.
package struct Station: Sendable {
    package private(set) var controller: SimulatedController
    package let gateway: Scenario.Gateway
    private var world: World
    /// Sorted by time, on the radio's timeline.
    private var misbehaviours: [(at: Instant, kind: Misbehaviour.Kind)]
    /// Misbehaviours that follow the first scan.
    private var awaitingScan: [Misbehaviour]
    /// What a radio's time lacks to the world's.
    private var worldMinusRadio: Duration
    private var heardUntil: Instant
    /// The other stations' advertisements. The owner sets it before each call with a time.
    package var air = Air()
    /// Its own controller's advertisements at the last reading.
    private var announced: [OnAir] = []
    /// The end of the time without connections after the latest drop.
    private var closedUntil: Instant?
    /// How often it has dropped the connection.
    private(set) var drops = 0
    private var reception = Reception()

    /// There is no gateway of that name in the scenario.
    package struct UnknownGateway: Error, Equatable, Sendable, CustomStringConvertible {
        package let id: String
        package let known: [String]

        package init(id: String, known: [String]) {
            self.id = id
            self.known = known
        }

        package var description: String {
            "the scenario has no gateway “\(id)”; it has \(known.joined(separator: ", "))"
        }
    }

    /// A station that starts at `start`.
    ///
    /// - Parameters:
    ///   - faults: misbehaviours beyond those of the scenario.
    ///   - worldTime: the world's time at `start`.
    package init(
        _ scenario: Scenario, gateway id: String,
        configuration: SimulatedController.Configuration, faults: [Misbehaviour] = [],
        start: Instant, worldTime: Instant
    ) throws(UnknownGateway) {
        guard let gateway = scenario.gateway(id) else {
            throw UnknownGateway(id: id, known: scenario.gateways.map(\.id))
        }
        self.gateway = gateway
        world = World(scenario)
        controller = SimulatedController(configuration)
        let all = scenario.faults + faults
        misbehaviours = []
        awaitingScan = all.filter { $0.origin == .firstScan }
        worldMinusRadio = worldTime - start
        heardUntil = start
        schedule(all.filter { $0.origin == .start }, after: start)
    }

    package var scenario: Scenario { world.scenario }

    /// Takes in what the host wrote at `time`.
    package mutating func receive(_ bytes: [UInt8], at time: Instant) {
        advance(to: time)
        controller.receive(bytes, at: time)
        guard controller.link.scan.isEnabled else { return }
        schedule(awaitingScan, after: time)
        awaitingScan = []
    }

    private mutating func schedule(_ faults: [Misbehaviour], after time: Instant) {
        guard !faults.isEmpty else { return }
        misbehaviours += faults.map { (at: time + $0.at, kind: $0.kind) }
        misbehaviours.sort { $0.at < $1.at }
    }

    /// Advances the world to `time`.
    ///
    /// - Parameter reporting: `false` drops the controller's reports, because no host is connected.
    package mutating func advance(to time: Instant, reporting: Bool = true) {
        while let next = misbehaviours.first, next.at <= time {
            misbehaviours.removeFirst()
            listen(until: next.at, reporting)
            if case .close(let duration) = next.kind {
                closedUntil = next.at + duration
                drops += 1
            }
            controller.misbehave(next.kind, at: next.at)
        }
        listen(until: time, reporting)
        controller.advance(to: time)
    }

    /// Goes on at `time`, having heard nothing since the last call.
    package mutating func skip(to time: Instant) { heardUntil = max(heardUntil, time) }

    /// Maps `time` to a new time of the world. A step of the wall clock does not stop the radio.
    package mutating func synchronise(worldTime: Instant, at time: Instant) {
        worldMinusRadio = worldTime - time
    }

    /// How far the world's clock is from where `worldTime` has it at `time`.
    package func deviation(fromWorldTime worldTime: Instant, at time: Instant) -> Duration {
        worldTime - time - worldMinusRadio
    }

    /// What the controller has to say: whole H4 packets.
    package mutating func takeOutput() -> [UInt8] { controller.takeOutput() }

    /// All that its controller has on the air, if that has changed since the last call.
    package mutating func takeChangeOnAir() -> [OnAir]? {
        let onAir = controller.onAir
        guard onAir != announced else { return nil }
        announced = onAir
        return onAir
    }

    /// Whether no connection is taken, after one was dropped.
    package func isClosed(at time: Instant) -> Bool { closedUntil.map { time < $0 } ?? false }

    /// A host has come.
    ///
    /// - Parameter moment: of the wall clock.
    package mutating func hostHasCome(at moment: Instant) {
        reception.hostHasCome(at: moment, delivered: controller.delivered)
    }

    /// Ends the host's connection. The controller is reset, but keeps its counters. With another
    /// power supply it keeps its state.
    package mutating func hostIsGone(keepingPower: Bool) {
        if keepingPower { controller.forgetConversation() } else { controller.powerCycle() }
    }

    /// The packets sent around the station, the packets it heard, and the reports its hosts
    /// received.
    package mutating func tally() -> Tally {
        reception.tally(of: gateway.id, in: &world, controller)
    }

    private mutating func listen(until time: Instant, _ reporting: Bool) {
        guard time > heardUntil else { return }
        let others = world.heard(
            of: air, by: gateway, from: heardUntil, to: time, worldMinusRadio: worldMinusRadio)
        let start = heardUntil + worldMinusRadio
        let end = time + worldMinusRadio
        heardUntil = time
        guard start < end else { return }
        var advertisements = world.advertisements(heardBy: gateway, from: start, to: end)
        for index in advertisements.indices {
            advertisements[index].time = advertisements[index].time - worldMinusRadio
        }
        if !others.heard.isEmpty {
            advertisements += others.heard
            advertisements.sort {
                ($0.time, $0.sender.rawValue) < ($1.time, $1.sender.rawValue)
            }
        }
        reception.add(advertisements, sentByOthers: others.sent, in: start..<end)
        if reporting { controller.hear(advertisements) }
    }
}
