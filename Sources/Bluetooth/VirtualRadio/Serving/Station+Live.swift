import Posix

extension Station {
    /// A station on the machine's clocks: the boot clock for the radio, the wall clock for the
    /// people.
    ///
    /// Misbehaviours follow the time since `begun` (boot clock, microseconds). A new connection
    /// does not restart them.
    package init(
        live scenario: Scenario, gateway: String,
        configuration: SimulatedController.Configuration, faults: [Misbehaviour] = [],
        begun: Int64? = nil
    ) throws(UnknownGateway) {
        let now = Clocks.boot
        let age = now - (begun ?? now)
        var scenario = scenario
        let all = scenario.faults + faults
        scenario.faults = []
        try self.init(
            scenario, gateway: gateway, configuration: configuration,
            faults: all.filter { $0.at >= age }.map { Misbehaviour(at: $0.at - age, $0.kind) },
            start: now, worldTime: now + Clocks.wallMinusBoot - scenario.epochMs * 1000)
    }

    /// The epoch of its scenario, microseconds since the Unix epoch.
    var epoch: Int64 { scenario.epochMs * 1000 }
}
