import Contract
import JSON
import Primitives
import Sightings
import Subscriber

/// The messages of a gateway, and the condition that every reader must see: `status`, `watch` and the server agree.
package struct GatewaySample: Sendable, CustomStringConvertible {
    package let condition: GatewayCondition
    /// What readers see that accept clocks which are not set.
    package let accepted: GatewayCondition
    package let status: StatusMessage
    package let health: Health
    package let report: ReportedMessage
    /// The latest window; `nil` while messages wait for the clock.
    package let window: SightingsMessage?

    package var description: String {
        "\(condition) \(status.state) \(status.clock) \(window.map { "\($0.state)" } ?? "no window")"
    }

    package static let all: [GatewaySample] = ClockState.allCases.flatMap { clock in
        // A clock that is not set hides no radio that does not hear, whether windows arrive or wait for the clock.
        ([.hearing, nil] as [RadioState?]).flatMap { radio in
            [
                sample(.offline, .offline, clock, radio),
                sample(.degraded, .degraded, clock, radio),
                sample(.refused, .online, clock, radio, report: .refused),
                sample(.rejected, .online, clock, radio, report: .rejected),
                sample(.backlog, .online, clock, radio, waiting: 60),
                sample(.online, .online, clock, radio),
                sample(.online, .online, clock, radio, days: 14),
                sample(.expiring, .online, clock, radio, days: 13),
                sample(.rejected, .online, clock, radio, report: .rejected, days: -1),
            ]
        } + [
            sample(.deaf, .degraded, clock, .deaf),
            sample(.deaf, .degraded, clock, nil, isDeaf: true),
        ]
    }

    /// - Parameter accepted: a clock that is not set hides milder conditions from other readers.
    private static func sample(
        _ accepted: GatewayCondition, _ state: StatusMessage.State, _ clock: ClockState,
        _ radio: RadioState?, report: ReportedMessage.Status = .applied, waiting seconds: Int64 = 0,
        isDeaf: Bool = false, days: Int64? = nil
    ) -> GatewaySample {
        var health = Health(session: "a", at: Samples.start, uptime: .seconds(60))
        health.radio.isHearing = radio != .deaf && !isDeaf
        health.clock.state = clock
        health.certificateExpiresAt = days.map { Samples.start + .seconds($0 * 86_400) }
        if seconds > 0 {
            health.outbox.batches = 12
            health.outbox.oldestAge = .seconds(seconds)
        }
        return GatewaySample(
            condition: clock == .unsynced ? min(.unsynced, accepted) : accepted,
            accepted: accepted, status: Samples.status(state, clock: clock), health: health,
            report: ReportedMessage(
                session: "a", versions: LayerVersions(), status: report, errors: [],
                effective: .object([]), radio: .init(), isPersisted: true),
            window: radio.map { Samples.batch(1, clock: clock, state: $0) })
    }
}
