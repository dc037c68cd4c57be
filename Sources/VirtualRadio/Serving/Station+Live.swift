import Posix
import Primitives

extension Station {
    /// A station on the machine's clocks: the boot clock for the radio, the wall clock for the
    /// people. A new connection does not restart the misbehaviours.
    package init(
        live scenario: Scenario, gateway: String,
        configuration: SimulatedController.Configuration, faults: [Misbehaviour] = []
    ) throws(UnknownGateway) {
        let now = Instant.now
        var scenario = scenario
        let faults = scenario.faults + faults
        scenario.faults = []
        try self.init(
            scenario, gateway: gateway, configuration: configuration, faults: faults,
            start: now, worldTime: scenario.worldTime(at: now + Clocks.wallMinusBoot))
    }
}
