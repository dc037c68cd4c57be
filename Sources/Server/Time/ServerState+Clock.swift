import Logging
import Posix
import Primitives

extension ServerState {
    /// Takes a reading of the machine's clocks, and logs a step.
    ///
    /// - Returns: whether the sites must fold their windows again: by another time, other windows count, or another day runs.
    func followClock(_ log: Log, at now: Instant) -> Bool {
        clock.follow(
            wall: Clocks.wall, isDisciplined: Clocks.isWallClockSynchronised, at: now)
        switch clock.takeChange() {
        case nil:
            // An earlier run may have begun a day by a wrong time.
            let wall = clock.time(at: now)
            return clock.certainty(at: now) != .unconfirmed
                && sites.contains { $0.today.day.span.lowerBound > wall }
        case .confirmed:
            log.info("the server's time is confirmed")
            return true
        case .doubted(let step):
            log.warning(
                "wall clock differs from the server's time: keeping the time until gateways confirm the wall clock",
                ["differenceMs": step.milliseconds])
            return false
        case .stepped(let step):
            log.warning(
                "the server's time stepped",
                ["stepMs": step.milliseconds, "certainty": clock.certainty(at: now)])
            return true
        }
    }

    /// How sure the time is.
    var certainty: TimeCertainty { clock.certainty(at: .now) }

    /// A sentence about a time that is not sure.
    var clockFault: String? {
        let remedy = "Synchronise the machine's clock."
        if certainty == .doubtful {
            return
                "Few gateways have moved the server's time: days stay open, and results are not stored. \(remedy)"
        }
        return clock.lastingUncertainty(at: .now).map {
            "Too few gateways have confirmed the server's time for \($0.wholeSeconds / 86_400) days: old rows and keys stay. \(remedy)"
        }
    }
}
