import Beacons
import JSON
import Primitives

/// How the value of a configuration key is read, written and described.
package struct KeyType<Value: Equatable & Sendable>: Sendable {
    /// Reads a member; `nil` where it is absent, and after a fault.
    package let read: @Sendable (inout ObjectReader, String) -> Value?
    package let json: @Sendable (Value) -> JSON
    /// The values as JSON Schema describes them.
    package let schema: JSON
    /// The values in words, such as `100 to 600000`; empty where the key's help names them.
    package let limits: String

    package init(
        schema: JSON, limits: String = "", json: @escaping @Sendable (Value) -> JSON,
        read: @escaping @Sendable (inout ObjectReader, String) -> Value?
    ) {
        self.read = read
        self.json = json
        self.schema = schema
        self.limits = limits
    }

    /// A string that `parse` accepts.
    ///
    /// - Parameter expected: the end of a sentence that begins with the key and `must be`.
    package static func parsed(
        expecting expected: String, schema: JSON, limits: String = "",
        json: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) -> Value?
    ) -> KeyType {
        KeyType(schema: schema, limits: limits, json: { .string(json($0)) }) { reader, key in
            reader.optionalParsed(key, expecting: expected, parse)
        }
    }

    /// An array of objects.
    package static func objects<Element>(
        atMost limit: Int, schema: JSON, json: @escaping @Sendable (Element) -> JSON,
        read: @escaping @Sendable (inout ObjectReader) -> Element?
    ) -> KeyType where Value == [Element] {
        let array: JSON = [
            "type": "array", "maxItems": .integer(Int64(limit)), "items": schema,
        ]
        return KeyType(
            schema: array, limits: "at most \(limit)", json: { .array($0.map(json)) }
        ) { reader, key in
            reader.has(key) ? reader.objects(key, atMost: limit, read) : nil
        }
    }
}

extension KeyType<Bool> {
    package static let bool = KeyType(schema: ["type": "boolean"], json: { .bool($0) }) {
        $0.optionalBool($1)
    }
}

extension KeyType where Value: FixedWidthInteger {
    /// A whole number.
    ///
    /// - Parameter step: the number must be a multiple of it.
    package static func integer(in range: ClosedRange<Value>, step: Value? = nil) -> KeyType {
        var schema: [JSON.Member] = [
            .init("type", "integer"), .init("minimum", .integer(Int64(clamping: range.lowerBound))),
            .init("maximum", .integer(Int64(clamping: range.upperBound))),
        ]
        var limits = "\(range.lowerBound) to \(range.upperBound)"
        if let step {
            schema.append(.init("multipleOf", .integer(Int64(clamping: step))))
            limits += ", in steps of \(step)"
        }
        return KeyType(
            schema: .object(schema), limits: limits, json: { .integer(Int64(clamping: $0)) }
        ) { reader, key in
            guard let number = reader.optionalInteger(key, in: range) else { return nil }
            guard let step, number % step != 0 else { return number }
            reader.note(key, .outOfRange, "\(key) must be a multiple of \(step), not \(number)")
            return nil
        }
    }
}

extension KeyType<Duration> {
    /// A whole number of milliseconds.
    package static func milliseconds(in range: ClosedRange<Int64>, step: Int64? = nil) -> KeyType {
        whole(.milliseconds(1), in: range, step: step)
    }

    /// A whole number of seconds.
    package static func seconds(in range: ClosedRange<Int64>) -> KeyType {
        whole(.seconds(1), in: range)
    }

    /// A whole number of hours.
    package static func hours(in range: ClosedRange<Int64>) -> KeyType {
        whole(.seconds(3600), in: range)
    }

    private static func whole(
        _ unit: Duration, in range: ClosedRange<Int64>, step: Int64? = nil
    ) -> KeyType {
        let number = KeyType<Int64>.integer(in: range, step: step)
        return KeyType(
            schema: number.schema, limits: number.limits,
            json: { number.json($0.milliseconds / unit.milliseconds) }
        ) { reader, key in
            number.read(&reader, key).map { .milliseconds($0 * unit.milliseconds) }
        }
    }
}

extension KeyType {
    /// An array of whole numbers.
    package static func integers<Number: FixedWidthInteger>(
        in range: ClosedRange<Number>, atMost limit: Int
    ) -> KeyType where Value == [Number] {
        let element = KeyType<Number>.integer(in: range)
        let schema: JSON = [
            "type": "array", "maxItems": .integer(Int64(limit)), "items": element.schema,
        ]
        return KeyType(
            schema: schema, limits: "at most \(limit), each \(element.limits)",
            json: { .array($0.map(element.json)) }
        ) { reader, key in
            reader.has(key) ? reader.integers(key, atMost: limit, in: range) : nil
        }
    }
}

extension KeyType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few words.
    package static var word: KeyType {
        let words = Value.allCases.map(\.rawValue)
        return KeyType(
            schema: ["enum": .array(words.map { .string($0) })],
            limits: "one of " + words.map { "\"\($0)\"" }.joined(separator: ", "),
            json: { .string($0.rawValue) }
        ) { reader, key in
            reader.optionalChoice(key)
        }
    }
}

extension KeyType<ProximityUUID> {
    package static let uuid = KeyType.parsed(
        expecting: "a UUID", schema: ["$ref": "common.json#/$defs/anyUUID"], json: { "\($0)" },
        parse: { ProximityUUID($0) })
}

extension KeyType {
    /// An array of strings that `parse` accepts.
    ///
    /// - Parameters:
    ///   - expected: the end of a sentence that begins with the element's place and `must be`.
    ///   - element: the schema of one string.
    package static func parsedArray<Element: Sendable>(
        atLeast minimum: Int = 0, atMost limit: Int, expecting expected: String, element: JSON,
        limits: String? = nil, json: @escaping @Sendable (Element) -> String,
        parse: @escaping @Sendable (String) -> Element?
    ) -> KeyType where Value == [Element] {
        var schema: [JSON.Member] = [.init("type", "array")]
        if minimum > 0 { schema.append(.init("minItems", .integer(Int64(minimum)))) }
        schema += [.init("maxItems", .integer(Int64(limit))), .init("items", element)]
        return KeyType(
            schema: .object(schema), limits: limits ?? "at most \(limit)",
            json: { .array($0.map { .string(json($0)) }) }
        ) { reader, key in
            guard reader.has(key) else { return nil }
            if minimum > 0, reader.json(key) == [] {
                reader.note(key, .outOfRange, "\(key) must have an element")
            }
            return reader.parsedArray(key, atMost: limit, expecting: expected, parse)
        }
    }

    package static func uuids(atMost limit: Int) -> KeyType where Value == [ProximityUUID] {
        .parsedArray(
            atMost: limit, expecting: "a UUID", element: KeyType<ProximityUUID>.uuid.schema,
            json: { "\($0)" }, parse: { ProximityUUID($0) })
    }
}

extension KeyType<String> {
    /// A file or a folder.
    package static let path = parsed(
        expecting: "a path", schema: ["$ref": "common.json#/$defs/path"], json: { $0 },
        parse: { (1...4095).contains($0.utf8.count) ? $0 : nil })
}
