import JSON

/// A kind of result: one document, of which schemas, topics, metrics, entities and tables know everything by its parts.
package struct ResultKind: Sendable {
    /// The member `kind` of the document. In a state of the present, also the label of metrics, and the name of the item in paths.
    package let name: String
    /// The name of the schema's file, without the suffix.
    package let file: String
    package let title: String
    package let help: String
    /// Where it is published.
    package let topic: ResultTopics.Kind?
    package let parts: [ResultPart]

    package init<Source>(
        _ name: String, file: String, topic: ResultTopics.Kind?, title: String, help: String,
        _ members: [ResultMember<Source>]
    ) {
        self.name = name
        self.file = file
        self.topic = topic
        self.title = title
        self.help = help
        parts = members.map(\.part)
    }

    /// The columns of the history's table: the places of the members.
    package var historyFields: [ResultField] {
        Self.sorted(parts.fields.filter { $0.part.history != nil }) { $0.part.history ?? 0 }
    }

    /// The metrics in their order.
    package var metrics: [(field: ResultField, metric: ResultPart.Metric)] {
        let metrics = parts.fields.flatMap { field in field.part.metrics.map { (field, $0) } }
        return Self.sorted(metrics) { $0.1.place }
    }

    /// The columns of tables of the present.
    package var columns: [(field: ResultField, column: ResultPart.Column)] {
        let columns = parts.fields.compactMap { field in field.part.column.map { (field, $0) } }
        return Self.sorted(columns) { $0.1.place }
    }

    /// What a document says without its stamps: a publication with the same contents has the same number.
    package func contents(of document: JSON) -> JSON {
        let stamps = Set(parts.filter(\.isStamp).map(\.name))
        guard case .object(let members) = document else { return document }
        return .object(members.filter { !stamps.contains($0.key) })
    }

    private static func sorted<Element>(
        _ elements: [Element], by place: (Element) -> Int
    ) -> [Element] {
        elements.enumerated().sorted {
            (place($0.element), $0.offset) < (place($1.element), $1.offset)
        }
        .map(\.element)
    }
}

/// A typed result, which is JSON at the edge only.
package protocol ResultDocument: Sendable {
    static var kind: ResultKind { get }
    static var members: [ResultMember<Self>] { get }
}

extension ResultDocument {
    package var json: JSON { Self.members.json(of: self) }

    /// The document without its stamps.
    package var contents: JSON { Self.members.json(of: self) { !$0.isStamp } }
}
