import Posix

extension Station {
    /// A station that lives from now on, by the machine's clocks: the boot clock, and the wall clock for who is there.
    ///
    /// What goes wrong goes by the time since `begun` (boot clock, microseconds): it does not begin again with a new
    /// connection, and what is over is over.
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
