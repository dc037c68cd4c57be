import Primitives

/// Reads a JSON object's members into typed values and collects all faults.
///
/// A getter that finds a fault records it and returns a stand-in, so that reading continues to the
/// next fault. `decode` never returns a value that contains stand-ins. A reader must request every
/// key, present or not: any other key is unknown.
///
/// The generic getters are inlinable, since thousands of messages a second are read through them. They are `public` for
/// that alone: the compiler doesn't specialise generic functions of other rooms that are `package`.
public struct ObjectReader {
    /// The treatment of keys that the reader never requests.
    package enum UnknownKeys: Sendable {
        /// They are faults: a misspelt key in a hand-written file must not pass unnoticed.
        case areFaults
        /// They are ignored: messages may grow (the contract).
        case areIgnored
    }

    /// The meaning of a member with the value `null`.
    package enum Nulls: Sendable {
        /// It is a value like others, of the wrong type for most keys.
        case areValues
        /// It is no member, though its key must be a known one: so a merge patch removes keys (RFC 7396).
        case removeKeys
    }

    /// How strictly a document is read, all the way down.
    @usableFromInline
    struct Rules {
        var unknownKeys = UnknownKeys.areFaults
        var nulls = Nulls.areValues
    }

    /// The way to an object, and what a fault calls it.
    @usableFromInline
    indirect enum Place: CustomStringConvertible {
        /// The outermost object; its own place is that in a larger document.
        case document(JSONPointer)
        case member(String, of: Place)
        case element(Int, of: String, in: Place)

        var pointer: JSONPointer {
            switch self {
            case .document(let pointer): pointer
            case .member(let key, let object): object.pointer.appending(key)
            case .element(let index, let key, let object):
                object.pointer.appending(key).appending(index)
            }
        }

        @usableFromInline var description: String {
            switch self {
            case .document: "the document"
            case .member(let key, _): key
            case .element(_, let key, _): "an element of \(key)"
            }
        }
    }

    /// Whether the document is a merge patch, and therefore incomplete.
    package var isPatch: Bool { rules.nulls == .removeKeys }
    /// The object's place in the document.
    package var pointer: JSONPointer { place.pointer }
    @usableFromInline let place: Place
    let rules: Rules
    let object: JSONValue
    private var cursor: JSONValue.Cursor
    /// The number of faults in the document before this object.
    private let faultsBefore: Int
    private var known: [String] = []
    private(set) var faults: [Fault] = []

    /// The faults of a document with a spelling suggestion or a list of keys. Both take time, and a reader of faults needs
    /// the first ones.
    private static let mostExplained = 200

    /// The number of faults that the document has so far.
    var faultsSoFar: Int { faultsBefore + faults.count }

    /// Makes a value of a document that must be an object; throws all faults that there are.
    ///
    /// `body` returns `nil` only after it has noted a fault.
    package static func decode<Value>(
        _ json: JSON, at pointer: JSONPointer = .root, unknownKeys: UnknownKeys = .areFaults,
        nulls: Nulls = .areValues, _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        try read(json, .document(pointer), Rules(unknownKeys: unknownKeys, nulls: nulls), body)
    }

    /// The same for the bytes of a document.
    package static func decode<Value>(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int = JSON.usualDepth,
        allowingComments: Bool = false, unknownKeys: UnknownKeys = .areFaults,
        nulls: Nulls = .areValues, _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        let text: JSONTokener
        do throws(JSONSyntaxError) {
            text = try JSONTokener(
                parsing: bytes, maxBytes: maxBytes, depth: depth,
                allowingComments: allowingComments)
        } catch {
            throw Faults([error.fault])
        }
        let rules = Rules(unknownKeys: unknownKeys, nulls: nulls)
        return try read(text, .document(.root), rules, body)
    }

    /// Reads a value that is part of no text, such as one that was merged of several.
    static func read<Value>(
        _ json: JSON, _ place: Place, _ rules: Rules, _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        let text: JSONTokener
        do throws(JSONFault) {
            text = try JSONTokener(json)
        } catch {
            throw Faults([Fault(place.pointer, error.code, error.sentence)])
        }
        return try read(text, place, rules, body)
    }

    private static func read<Value>(
        _ text: JSONTokener, _ place: Place, _ rules: Rules,
        _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        guard var reader = ObjectReader(text.root, place, rules) else {
            throw Faults([Fault.noObject(text.root, place)])
        }
        let value = body(&reader)
        let faults = reader.finish(isComplete: value != nil)
        guard let value, faults.isEmpty else { throw Faults(faults) }
        return value
    }

    /// `nil` for a value that is no object.
    init?(_ value: JSONValue, _ place: Place, _ rules: Rules, after faults: Int = 0) {
        guard value.kind == .object else { return nil }
        object = value
        cursor = value.start
        self.place = place
        self.rules = rules
        faultsBefore = faults
    }

    /// All faults of the object, after everything in it was read.
    mutating func finish(isComplete: Bool) -> [Fault] {
        if rules.unknownKeys == .areFaults { noteUnknownKeys() }
        if !isComplete, faults.isEmpty { note(nil, .missing, "\(place) is incomplete") }
        return faults
    }

    /// Notes a fault that only the caller can see; `key` is `nil` for the object itself.
    package mutating func note(_ key: String?, _ code: Fault.Code, _ message: String) {
        faults.append(Fault(key.map(pointer.appending) ?? pointer, code, message))
    }

    mutating func note(_ more: [Fault]) { faults += more }

    /// Whether the member is present; the key counts as known from now on.
    package mutating func has(_ key: String) -> Bool { member(key) != nil }

    /// The member without conversion; `nil` when absent.
    package mutating func json(_ key: String) -> JSON? { member(key)?.tree }

    @usableFromInline
    mutating func member(_ key: String) -> JSONValue? {
        if rules.unknownKeys == .areFaults, !known.contains(key) { known.append(key) }
        let value = object.member(key, at: &cursor)
        return rules.nulls == .removeKeys && value?.kind == .null ? nil : value
    }

    private mutating func noteUnknownKeys() {
        // The list of expected keys appears once per object.
        var isListed = false
        for key in object.members.map(\.key)
        where !known.contains(where: { $0.hasSameBytes(as: key) }) {
            var message = "unknown key \(key.quotedForPeople)"
            let isExplained = faultsSoFar < Self.mostExplained
            if isExplained, let nearest = NearestWord.to(key, among: known) {
                message += "; did you mean “\(nearest)”?"
            } else if isExplained, !known.isEmpty, !isListed {
                isListed = true
                message += "; expected \(known.joined(separator: ", "))"
            }
            note(key, .unknownKey, message)
        }
    }
}

extension Fault {
    static func noObject(_ value: JSONValue, _ place: ObjectReader.Place) -> Fault {
        Fault(place.pointer, .wrongType, "\(place) must be an object, not \(value.kind)")
    }
}
