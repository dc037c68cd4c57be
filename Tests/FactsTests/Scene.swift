import Facts
import Primitives
import Sightings

/// Windows of one gateway, a second each.
enum Scene {
    static let start = UnixSecond(1_780_002_000)

    /// A second of the scene.
    static func second(_ number: Int64) -> UnixSecond { start.advanced(by: Int(number)) }

    /// A window of one second.
    static func window(
        _ second: Int64, powers: [(tag: UInt64, power: Double)] = [], session: String = "a",
        lost: Loss? = nil
    ) -> WindowFact {
        let span = Scene.second(second).span
        let number = UInt64(second)
        return WindowFact(
            session: session, numbers: number...number, span: span, lost: lost,
            readings: powers.map {
                Reading(
                    tag: Tag(rawValue: $0.tag), power: $0.power, count: 5,
                    seen: span.lowerBound...span.lowerBound + .milliseconds(900), senders: 1)
            })
    }
}
