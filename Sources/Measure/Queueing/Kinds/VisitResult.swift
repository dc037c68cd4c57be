import JSON
import Primitives
import Results

/// A published visit of a queue.
package struct VisitResult: ResultDocument {
    package let site: String
    package let visit: Visit
    /// The beacon; `nil` where it is not shown.
    package let beacon: String?

    package init(site: String, _ visit: Visit, beacon: String? = nil) {
        self.site = site
        self.visit = visit
        self.beacon = beacon
    }

    package static let kind = ResultKind(
        "visit", file: "queue-visit", topic: .visits, title: "Visit",
        help:
            "One visit of a queue, as sightline queue writes it: one JSON object a line. It is final.",
        members)

    package static let members: [ResultMember<VisitResult>] =
        [
            .constant("v", 1), .constant("kind", "visit"), .name("site") { $0.site },
            .name("queue") { $0.visit.queue },
            .time("entered", "When the person joined the line.") { $0.visit.entered.second.start },
            .time("left", "When the person left the till, or the line.") {
                $0.visit.left.second.start
            },
            .milliseconds("waitMs", "From joining to leaving.") { $0.visit.wait },
            .word(
                "how",
                "abandoned: the person left the line without the till; most of those who do are not recognised. unknown: the person was still in line when the gateways fell silent for ten minutes, or when the messages ended. left and waitMs then say how long that is certain."
            ) { $0.visit.end },
        ] + certainty

    private static let certainty: [ResultMember<VisitResult>] = [
        .number(
            "confidence",
            "The probability that this is a visit, and no passer-by who stops near the line.",
            places: 3, atMost: 1
        ) { $0.visit.probability },
        .json(
            "enteredRange",
            "Only if a gateway did not hear around an edge, or if the tag stayed at the till without its person: the earliest and the latest time.",
            as: .tuple(2, of: [.init("type", "integer")])
        ) { $0.visit.isExact ? nil : $0.visit.entered.range }.optional,
        .json("leftRange", as: .tuple(2, of: [.init("type", "integer")])) {
            $0.visit.isExact ? nil : $0.visit.left.range
        }.optional,
        .text("beacon", "Only with --identities: UUID, major and minor.") { $0.beacon }.optional,
    ]
}

extension Visit {
    /// The line of a visit.
    package func json(site: String) -> JSON { VisitResult(site: site, self).json }
}

extension EdgeDate {
    fileprivate var range: JSON {
        [.integer(earliest.start.milliseconds), .integer(latest.start.milliseconds)]
    }
}
