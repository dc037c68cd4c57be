import Posix
import Primitives

/// What is known of the gateways of a site.
extension Site {
    func update(_ gateway: String, wall: UnixTime, _ change: (inout GatewayMonitor) -> Void) {
        gateways.update(gateway, wall: wall, change)
    }

    func onConnection(_ isConnected: Bool, at now: Instant) {
        gateways.onConnection(isConnected, at: now)
        if isConnected { states.publishAll(at: now) }
    }

    /// A sentence for each gateway of a queue of which the broker has nothing.
    func unheardGateways(at now: Instant) -> [String] {
        gateways.unheard(at: now).map { gateway, nearest in
            "The broker has no message of gateway \(layout.site)/\(gateway), which a queue names"
                + (nearest.map { "; did you mean \($0)?" } ?? ".")
        }
    }

    /// The gateways that must be sent to browsers.
    func tickGateways(at now: Instant, wall: UnixTime) -> [GatewayOverview] {
        gateways.tick(
            at: now, wall: wall, acceptsUnsyncedClocks: layout.acceptsUnsyncedClocks)
    }
}
