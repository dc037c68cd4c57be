import Contract
import JSON
import TestVectors
import Testing

@Suite struct MergePatchTests {
    private static func json(_ text: String) throws -> JSON {
        try JSON(parsing: Array(text.utf8), maxBytes: 1 << 16)
    }

    @Test(
        "the examples of RFC 7396, appendix A",
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
            (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
            (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
            (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
            (#"{"a":"foo"}"#, #"null"#, #"null"#),
            (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
            (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
            (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ])
    func appendix(original: String, patch: String, result: String) throws {
        let merged = try Self.json(original).merging(Self.json(patch))
        #expect(merged.text == result)
    }

    @Test("merging keeps the order of members and appends new ones")
    func order() throws {
        let own = try Self.json(#"{"c":1,"a":{"z":1,"y":2},"b":3}"#)
        let changed = try own.merging(Self.json(#"{"d":4,"b":5,"a":{"x":3,"z":0}}"#))
        #expect(changed.text == #"{"c":1,"a":{"z":0,"y":2,"x":3},"b":5,"d":4}"#)
        let removed = try changed.merging(Self.json(#"{"c":null}"#))
        #expect(
            try removed.merging(Self.json(#"{"c":6}"#)).text
                == #"{"a":{"z":0,"y":2,"x":3},"b":5,"d":4,"c":6}"#)
    }

    @Test("the highest layer with a key has precedence")
    func fold() throws {
        let layers = [
            #"{"advertise":{"measuredPower":-59,"txPowerDbm":4},"report":{"windowMs":500}}"#,
            #"{"advertise":{"uuid":"U","txPowerDbm":null}}"#,
            #"{"advertise":{"major":42},"report":null,"filter":{"uuids":["U","V"]}}"#,
            #"{"advertise":{"minor":7,"txPowerDbm":0},"filter":{"uuids":["W"]}}"#,
        ]
        let merged = try layers.reduce(JSON.object([])) { try $0.merging(Self.json($1)) }
        #expect(
            merged.text
                == #"{"advertise":{"measuredPower":-59,"uuid":"U","major":42,"minor":7,"txPowerDbm":0},"filter":{"uuids":["W"]}}"#
        )
    }

    @Test("keys with different bytes are different keys")
    func kelvin() throws {
        // The letter K and the kelvin sign.
        let merged = try Self.json("{\"K\":1}").merging(Self.json("{\"\u{212a}\":null}"))
        #expect(merged.text == "{\"K\":1}")
    }

    @Test("random values merge like the pseudocode of RFC 7396", arguments: UInt64(0)..<50)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let target = Self.random(&generator, depth: 3, withNulls: generator.oneIn(2))
            let patch = Self.random(&generator, depth: 3, withNulls: true)
            let merged = target.merging(patch)
            #expect(
                Value(merged) == Value.merge(Value(target), Value(patch)), "seed \(seed)")
            #expect(merged.merging(patch) == merged, "the same again changes nothing; seed \(seed)")
            guard case .object(let members) = merged, case .object(let changes) = patch,
                case .object(let own) = target
            else { continue }
            let new = changes.filter { change in
                change.value != .null && !own.contains { $0.key == change.key }
            }
            let kept = own.filter { own in
                !changes.contains { $0.key == own.key && $0.value == .null }
            }
            #expect(members.map(\.key) == (kept + new).map(\.key), "seed \(seed)")
        }
    }

    private static func random(
        _ generator: inout SeededGenerator, depth: Int, withNulls: Bool
    ) -> JSON {
        switch Int.random(in: depth > 0 ? 0..<9 : 5..<9, using: &generator) {
        case 0...3:
            let keys = ["a", "b", "c", "d"].shuffled(using: &generator)
            return .object(
                keys.prefix(Int.random(in: 0...4, using: &generator)).map { key in
                    .init(key, random(&generator, depth: depth - 1, withNulls: withNulls))
                })
        case 4: return .array([random(&generator, depth: depth - 1, withNulls: withNulls)])
        case 5 where withNulls: return .null
        case 6: return .bool(Bool.random(using: &generator))
        case 7: return .string("s")
        default: return .integer(Int64.random(in: 0...3, using: &generator))
        }
    }

    /// A value with unordered members, and the specification's pseudocode for the merge.
    private indirect enum Value: Equatable {
        case object([String: Value])
        case other(JSON)

        init(_ json: JSON) {
            guard case .object(let members) = json else {
                self = .other(json)
                return
            }
            self = .object(
                Dictionary(uniqueKeysWithValues: members.map { ($0.key, Value($0.value)) }))
        }

        static func merge(_ target: Value?, _ patch: Value) -> Value {
            guard case .object(let changes) = patch else { return patch }
            var result: [String: Value] = [:]
            if case .object(let own)? = target { result = own }
            for (name, value) in changes {
                result[name] = value == .other(.null) ? nil : merge(result[name], value)
            }
            return .object(result)
        }
    }
}
