import JSON

/// The values of a minute that a restatement is compared with: `{"rev":1,"people":6.2,"waitMs":240000}`.
struct RestatementMark: Equatable {
    let json: JSON

    /// - Parameter document: the published minute.
    init(_ document: JSON) {
        json = [
            "rev": document["rev"] ?? .null, "people": document["length"]?["people"] ?? .null,
            "waitMs": document["forecast"]?["waitMs"] ?? .null,
        ]
    }
}
