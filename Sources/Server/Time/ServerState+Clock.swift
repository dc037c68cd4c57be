import Logging
import Posix
import Primitives

extension ServerState {
    /// Takes a reading of the machine's clocks, and logs a step.
    ///
    /// - Returns: whether the time is now outside the day of a site.
    func followClock(_ log: Log, at now: Instant) -> Bool {
        clock.follow(
            wall: Clocks.wall, isDisciplined: Clocks.isWallClockSynchronised, at: now)
        switch clock.takeChange() {
        case nil: return false
        case .doubted(let step):
            log.warning(
                "wall clock stepped: the server keeps its time until gateways confirm the step",
                ["stepMs": step.milliseconds])
            return false
        case .stepped(let step):
            log.warning("the server's time stepped", ["stepMs": step.milliseconds])
            let wall = clock.time(at: now)
            return sites.contains { !$0.today.day.span.contains(wall) }
        }
    }
}
