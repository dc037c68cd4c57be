import JSON
import Primitives
import Queueing
import Terminal

/// The result of a survey, for people and for programs.
struct SurveyReport {
    private let survey: QueueSurvey
    private let site: String
    private let spots: [SurveySpot]

    init(_ survey: QueueSurvey, site: String) {
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
        let expected =
            survey.expectation.map { expected -> [String] in
                [
                    "Queues whose gateways hear a beacon so often find \(Self.range(expected.recall, by: 100)) of 100 "
                        + "visits on the bench, and their waits are \(Self.range(expected.error, by: 1)) s off in the mean. The worse "
                        + "numbers are where people linger before they join."
                ]
            } ?? []
        let advice =
            survey.closeLevels.isEmpty
            ? []
            : [
                "",
                "For the site \(site) in the file of sightline-server, which SIGHUP reads again"
                    + (faults.isEmpty ? ":" : "; survey again after a change:"),
                "\"closeLevels\": \(levels.text)",
            ]
        return (table.lines + [""] + sentences + expected + advice).map { $0 + "\n" }.joined()
    }

    private static func range(
        _ values: (lingering: Double, direct: Double), by factor: Double
    ) -> String {
        let numbers = [values.lingering, values.direct].map { Int(($0 * factor).rounded()) }
        return "\(numbers.min() ?? 0) to \(numbers.max() ?? 0)"
    }

    /// `-52 dBm ±3`, and the share of seconds where some are missing.
    private static func cell(_ level: SpotLevel?) -> String {
        guard let level else { return "no message" }
        guard let mean = level.mean else { return "not heard" }
        let share = level.heard < 0.9 ? " \(Int(level.heard * 100)) %" : ""
        return "\(Int(mean.rounded())) dBm ±\(Int(level.deviation.rounded()))\(share)"
    }

    private var levels: JSON {
        .array(
            survey.closeLevels.map {
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
            "site": .string(site), "queue": .string(survey.queue.name), "spots": .array(rows),
            "dropDb": Self.number(survey.drop),
            "shelfDeviations": Self.number(survey.distanceToShelf),
            "expectedRecall": .array(
                survey.expectation.map {
                    [.number($0.recall.lingering), .number($0.recall.direct)]
                } ?? []),
            "expectedErrorSeconds": .array(
                survey.expectation.map {
                    [.number($0.error.lingering), .number($0.error.direct)]
                } ?? []),
            "faults": .array(survey.faults.map { .string($0) }), "closeLevels": levels,
        ]
    }

    private static func number(_ value: Double?) -> JSON {
        value.map { .number(($0 * 100).rounded() / 100) } ?? .null
    }
}
