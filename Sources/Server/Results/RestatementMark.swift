import JSON

/// The values of a minute that a restatement is compared with, as first published: `{"rev":1,"people":6.2,"waitMs":240000,
/// "served":2,"abandoned":0,"medianMs":180000,"reasons":[]}`.
struct RestatementMark: Equatable {
    let json: JSON

    /// - Parameter document: the published minute.
    init(_ document: JSON) {
        json = [
            "rev": document["rev"] ?? .null, "people": document["length"]?["people"] ?? .null,
            "waitMs": document["forecast"]?["waitMs"] ?? .null,
            "served": document["served"] ?? .null, "abandoned": document["abandoned"] ?? .null,
            "medianMs": document["waits"]?["medianMs"] ?? .null,
            "reasons": document["reasons"] ?? .array([]),
        ]
    }
}
