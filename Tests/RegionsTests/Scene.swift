import Beacons
import Contract
import Facts
import Primitives
import Queueing
import Sightings

@testable import Regions

/// Gateways `a` and `b`, and the regions that a test needs.
struct Scene {
    static let start = UnixSecond(1_780_002_000)
    static let visitor = Tag(rawValue: 1)
    static let other = Tag(rawValue: 2)
    static let subject = RegionTable.Subject(regions: [0], kind: .visitor, identity: nil)

    static func second(_ number: Int) -> UnixSecond { start.advanced(by: number) }

    /// A table with one region of these gateways.
    static func table(
        gateways: [String] = ["a"], _ more: (inout RegionLayout) -> Void = { _ in }
    ) -> RegionTable {
        RegionTable(
            SiteLayout {
                $0.site = "s"
                $0.regions = [
                    RegionLayout {
                        $0.name = "r"
                        $0.gateways = gateways
                        $0.kind = .visitor
                        more(&$0)
                    }
                ]
            })
    }

    /// A window of one second, with reports at its beginning.
    static func window(
        _ second: Int, _ reports: [Tag: Int] = [:], power: Double = -85,
        state: RadioState = .hearing, session: String = "1", isQuiet: Bool = false
    ) -> WindowFact {
        let span = Scene.second(second).span
        return WindowFact(
            session: session, numbers: UInt64(second)...UInt64(second), span: span, state: state,
            isQuiet: isQuiet,
            readings: reports.sorted { $0.key < $1.key }.map { tag, count in
                Reading(
                    tag: tag, power: power, count: count,
                    seen: span.lowerBound...span.lowerBound, senders: 1)
            })
    }

    /// Windows of a beacon that sends twice a second in these seconds, and of silence in the others.
    static func windows(
        _ seconds: Range<Int>, heard: (Int) -> Bool, deaf: Range<Int> = 0..<0
    ) -> [WindowFact] {
        seconds.map { second in
            let isDeaf = deaf.contains(second)
            return window(
                second, heard(second) && !isDeaf ? [visitor: 2] : [:],
                state: isDeaf ? .deaf : .hearing)
        }
    }
}

extension RegionEstimator {
    @discardableResult
    mutating func take(_ window: WindowFact, from gateway: String) -> FactOutcome {
        take(
            window, from: gateway,
            heard: Dictionary(
                window.readings.map { ($0.tag, Scene.subject) }, uniquingKeysWith: { one, _ in one }
            ))
    }
}

extension [RegionEstimator.Publication] {
    /// `enter 12`: the kind of each event, and the second of the scene that decided.
    var words: [String] {
        map { publication in
            let second = (publication.event.decidedAt - Scene.start.start).wholeSeconds
            let prefix = publication.isWithdrawn ? "withdrawn " : ""
            return "\(prefix)\(publication.event.kind) \(second)"
        }
    }
}
