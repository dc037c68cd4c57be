import Posix
import Primitives

extension Station {
    /// A station on the machine's clocks: the boot clock for the radio, the wall clock for the
    /// people.
    ///
    /// Misbehaviours follow the time since `begun` (boot clock). A new connection
    /// does not restart them.
    package init(
        live scenario: Scenario, gateway: String,
        configuration: SimulatedController.Configuration, faults: [Misbehaviour] = [],
        begun: Instant? = nil
    ) throws(UnknownGateway) {
        let now = Instant.now
        let age = now - (begun ?? now)
        var scenario = scenario
        let all = scenario.faults + faults
        scenario.faults = []
        try self.init(
            scenario, gateway: gateway, configuration: configuration,
            faults: all.compactMap { $0.later(by: age) },
            start: now, worldTime: scenario.worldTime(at: now + Clocks.wallMinusBoot))
    }
}

extension Misbehaviour {
    /// The misbehaviour for a station that begins `age` after the radio; `nil` if its time has passed.
    fileprivate func later(by age: Duration) -> Misbehaviour? {
        guard origin == .start else { return self }
        return at >= age ? Misbehaviour(at: at - age, kind) : nil
    }
}
