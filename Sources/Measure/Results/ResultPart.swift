import JSON

/// The form of a value in the document of a result.
package indirect enum ResultType: Sendable {
    case constant(JSON)
    case number(isWhole: Bool, minimum: Int64? = nil, maximum: Int64? = nil)
    case flag
    case text
    case words([String])
    case object([ResultPart])
    case list(ResultType)
    /// A definition of `common.json`, or a component of the API's description.
    case reference(String)
    /// Any other one, by the members of its schema.
    case schema([JSON.Member])

    /// A name of a site, a queue or a gateway.
    package static let name = ResultType.reference("common.json#/$defs/name")
    /// Milliseconds since the epoch, in the API.
    package static let time = ResultType.reference("#/components/schemas/time")
}

/// The unit of a number.
package enum ResultUnit: Sendable {
    case none, milliseconds, percent
    /// Milliseconds since the epoch.
    case time
}

/// Everything that Sightline knows about one member of a result's document, but for its value.
///
/// The schema, the description of the API, the columns of tables, the metrics and the entities of Home Assistant derive from it.
package struct ResultPart: Sendable {
    /// A metric; its name follows that of the kind, and has the suffix of the unit.
    package struct Metric: Sendable {
        package let name: String
        package let help: String
        /// The metric is whether the value is this word.
        package let word: String?
        package let place: Int
    }

    /// The entity of Home Assistant.
    package struct Entity: Sendable {
        /// The key in the discovery document; it never changes.
        package let key: String
        package let name: String
        package let form: Form

        package enum Form: Sendable {
            case number
            /// A word, and any other one is a fault.
            case fault(normal: String)
            /// Whether somebody is there: the number is the least. Nobody is there where the members beside it have these JSON values; else
            /// it is unknown.
            case occupancy(vacant: [(member: String, value: JSON)])
            /// The words of a beacon that is heard in the site, and of one that is not. Any other one says neither.
            case presence(home: [String], away: [String])
        }
    }

    /// A column of `sightline queue` and of the table for browsers without JavaScript.
    package struct Column: Sendable {
        package let title: String
        /// In `sightline queue`; `nil` if it does not show the column.
        package let short: String?
        /// The members beside it that are the ends of its interval.
        package var low: String?
        package var high: String?
        /// The member beside it with the whole of which it is a part.
        package var whole: String?
        /// The member of a list's element that has a value once the element is over.
        package var end: String?
        /// The text where there is no value.
        package var none = "unknown"
        package let place: Int
    }

    package let name: String
    package let type: ResultType
    /// Its meaning.
    package let help: String?
    package internal(set) var unit = ResultUnit.none
    /// Whether the value may be `null`: not known.
    package internal(set) var isNullable = false
    /// Whether the member may be absent.
    package internal(set) var isOptional = false
    /// Whether another value is no other content, such as a time or a number of the publication.
    package internal(set) var isStamp = false
    /// Whether anything but 0 is a fault of the program.
    package internal(set) var isCheck = false
    /// The form in the schema, where it is not the one of the document.
    var published: ResultType?
    package internal(set) var metrics: [Metric] = []
    package internal(set) var entities: [Entity] = []
    package internal(set) var column: Column?
    /// The group of its column in the history's table: columns of later groups stand behind the others.
    package internal(set) var history: Int?

    /// The index in the schema, where it is another one than in the document.
    package internal(set) var position: Int?

    package init(
        _ name: String, _ type: ResultType, help: String? = nil, isOptional: Bool = false
    ) {
        self.name = name
        self.type = type
        self.help = help
        self.isOptional = isOptional
    }

    /// The members of an object.
    package var parts: [ResultPart] { if case .object(let parts) = type { parts } else { [] } }
}

/// A member of a document that is no object, and its place.
package struct ResultField: Sendable {
    /// The keys from the document on.
    package let path: [String]
    package let part: ResultPart

    /// The value in a document; `nil` where it is absent.
    package func value(in document: JSON) -> JSON? { Self.value(at: path, in: document) }

    /// The value of a member beside it.
    func value(beside name: String?, in document: JSON) -> JSON? {
        name.flatMap { Self.value(at: path.dropLast() + [$0], in: document) }
    }

    private static func value(at path: [String], in document: JSON) -> JSON? {
        path.reduce(Optional(document)) { value, key in value?[key] }
    }
}

extension [ResultPart] {
    /// The members that are no objects, in the order of the document.
    package var fields: [ResultField] { fields(below: []) }

    private func fields(below path: [String]) -> [ResultField] {
        flatMap { part in
            let place = path + [part.name]
            let inner = part.parts.fields(below: place)
            return inner.isEmpty ? [ResultField(path: place, part: part)] : inner
        }
    }
}
