import JSON
import Primitives
import Queueing
import Terminal

/// The result of a survey, for people and for programs.
struct SurveyReport {
    private let survey: QueueSurvey
    private let site: SiteLayout
    private let spots: [SurveySpot]

    init(_ survey: QueueSurvey, of site: SiteLayout) {
        (self.survey, self.site) = (survey, site)
        spots = SurveySpot.all(of: survey.queue)
    }

    var text: String {
        let gateways = survey.queue.gateways
        var table = TextTable([.left("SPOT")] + gateways.map { .right($0.uppercased()) })
        table.rows = spots.map { spot in
            [spot.name] + gateways.map { Self.cell(survey.level(of: $0, at: spot)) }
        }
        let faults = survey.faults
        let sentences =
            faults.isEmpty
            ? ["The gateways tell the ends of the line apart, and hear its middle."]
            : faults.map { $0 + "." }
        let expected = survey.expectation.map { [Self.sentence($0)] } ?? []
        let advice =
            survey.closeLevels.isEmpty
            ? []
            : [
                "",
                "For the site \(site.site) in the file of sightline-server, which SIGHUP reads again"
                    + (faults.isEmpty ? ":" : "; survey again after a change:"),
                "\"closeLevels\": \(levels.text)",
            ]
        return (table.lines + [""] + sentences + expected + advice).map { $0 + "\n" }.joined()
    }

    private static func sentence(_ expected: QueueSurvey.Expectation) -> String {
        let (worse, better) = (expected.lingering, expected.direct)
        let recall = "\(percent(worse.recall)) to \(percent(better.recall))"
        let precision = "\(percent(worse.precision)) to \(percent(better.precision))"
        return
            "On the bench, queues whose gateways hear a beacon so often find \(recall) of 100 visits. "
            + "Of 100 found ones, \(precision) are real. "
            + "Waits are \(Int(better.error)) to \(Int(worse.error)) s off in the mean. "
            + "The worse numbers are where people linger before they join."
    }

    private static func percent(_ share: Double) -> Int { Int((share * 100).rounded()) }

    /// `-52 dBm ±3`, and the share of seconds where some are missing.
    private static func cell(_ level: SpotLevel?) -> String {
        guard let level else { return "no message" }
        guard let mean = level.mean else { return "not heard" }
        let share = level.heard < 0.9 ? " \(Int(level.heard * 100)) %" : ""
        return "\(Int(mean.rounded())) dBm ±\(Int(level.deviation.rounded()))\(share)"
    }

    /// Those of the site's other gateways stay.
    private var levels: JSON {
        let new = survey.closeLevels
        let others = site.closeLevels.filter { old in
            !new.contains { $0.gateway == old.gateway }
        }
        return .array(
            (others + new).map {
                ["gateway": .string($0.gateway), "dBm": .integer(Int64($0.power))]
            })
    }

    var json: JSON {
        let rows = spots.flatMap { spot in
            survey.queue.gateways.map { gateway -> JSON in
                let level = survey.level(of: gateway, at: spot)
                return [
                    "spot": .string(spot.name), "gateway": .string(gateway),
                    "meanDbm": Self.number(level?.mean), "loudestDbm": Self.number(level?.loudest),
                    "deviationDb": Self.number(level?.mean.flatMap { _ in level?.deviation }),
                    "heardShare": Self.number(level?.heard),
                ]
            }
        }
        return [
            "site": .string(site.site), "queue": .string(survey.queue.name), "spots": .array(rows),
            "dropDb": Self.number(survey.drop),
            "shelfDeviations": Self.number(survey.distanceToShelf),
            "expected": survey.expectation.map {
                ["lingering": Self.json($0.lingering), "direct": Self.json($0.direct)]
            } ?? .null,
            "faults": .array(survey.faults.map { .string($0) }), "closeLevels": levels,
        ]
    }

    private static func json(_ expected: QueueSurvey.Expectation.Accuracy) -> JSON {
        [
            "recall": .number(expected.recall), "precision": .number(expected.precision),
            "errorSeconds": .number(expected.error),
        ]
    }

    private static func number(_ value: Double?) -> JSON {
        value.map { .number(($0 * 100).rounded() / 100) } ?? .null
    }
}
