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

    /// What a fault calls an object.
    @usableFromInline
    enum Name: CustomStringConvertible {
        case document
        case member(String)
        case element(of: String)

        @usableFromInline var description: String {
            switch self {
            case .document: "the document"
            case .member(let key): key
            case .element(let key): "an element of \(key)"
            }
        }
    }

    /// Whether the document is a merge patch, and therefore incomplete.
    package var isPatch: Bool { rules.nulls == .removeKeys }
    /// The object's place in the document.
    package var pointer: JSONPointer { object.pointer }
    let rules: Rules
    let object: JSONValue
    /// The number of faults in the document before this object.
    private let faultsBefore: Int
    private var known: [String] = []
    /// The member at which the next search begins.
    private var next: Int
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
        try read(json, at: pointer, .document, Rules(unknownKeys: unknownKeys, nulls: nulls), body)
    }

    /// The same for the bytes of a document.
    package static func decode<Value>(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int = JSON.usualDepth,
        allowingComments: Bool = false, unknownKeys: UnknownKeys = .areFaults,
        nulls: Nulls = .areValues, _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(
                parsing: bytes, maxBytes: maxBytes, depth: depth,
                allowingComments: allowingComments)
        } catch {
            throw Faults([error.fault])
        }
        let rules = Rules(unknownKeys: unknownKeys, nulls: nulls)
        return try read(document, .document, rules, body)
    }

    /// Reads a value that is part of no text, such as one that was merged of several.
    static func read<Value>(
        _ json: JSON, at pointer: JSONPointer, _ name: Name, _ rules: Rules,
        _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        let document: JSONDocument
        do throws(JSONFlaw) {
            document = try JSONDocument(json, at: pointer)
        } catch {
            throw Faults([Fault(pointer, error.code, error.sentence)])
        }
        return try read(document, name, rules, body)
    }

    private static func read<Value>(
        _ document: JSONDocument, _ name: Name, _ rules: Rules,
        _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        guard var reader = ObjectReader(document.root, rules) else {
            throw Faults([Fault.noObject(document.root, name)])
        }
        let value = body(&reader)
        let faults = reader.finish(name, isComplete: value != nil)
        guard let value, faults.isEmpty else { throw Faults(faults) }
        return value
    }

    /// `nil` for a value that is no object.
    init?(_ value: JSONValue, _ rules: Rules, after faults: Int = 0) {
        guard value.kind == .object else { return nil }
        object = value
        self.rules = rules
        faultsBefore = faults
        next = value.index + 1
    }

    /// All faults of the object, after everything in it was read.
    mutating func finish(_ name: Name, isComplete: Bool) -> [Fault] {
        if rules.unknownKeys == .areFaults { noteUnknownKeys() }
        if !isComplete, faults.isEmpty { note(nil, .missing, "\(name) is incomplete") }
        return faults
    }

    /// Notes a fault that only the caller can see; `key` is `nil` for the object itself.
    package mutating func note(_ key: String?, _ code: Fault.Code, _ message: String) {
        faults.append(Fault(key.map(pointer.appending) ?? pointer, code, message))
    }

    mutating func note(_ more: [Fault]) { faults += more }

    /// Whether the member is present; the key counts as known from now on.
    package mutating func has(_ key: String) -> Bool { member(key) != nil }

    /// An integer's value, without more work for it than needed.
    mutating func integer(_ key: String) -> Int64? {
        guard let place = place(of: key) else { return nil }
        let node = object.document.nodes[place]
        return node.kind == .integer ? Int64(bitPattern: node.bits) : nil
    }

    /// The member without conversion; `nil` when absent.
    package mutating func json(_ key: String) -> JSON? { member(key)?.tree }

    @usableFromInline
    mutating func member(_ key: String) -> JSONValue? {
        place(of: key).map { JSONValue(document: object.document, index: $0) }
    }

    /// The index of a member's node.
    private mutating func place(of key: String) -> Int? {
        if rules.unknownKeys == .areFaults, !known.contains(key) { known.append(key) }
        guard let place = object.document.member(key, of: object.index, from: next) else {
            return nil
        }
        let node = object.document.nodes[place]
        next = Int(node.next)
        return rules.nulls == .removeKeys && node.kind == .null ? nil : place
    }

    private mutating func noteUnknownKeys() {
        // The list of expected keys appears once per object.
        var isListed = false
        for key in object.children.map(\.key)
        where !known.contains(where: { $0.hasSameBytes(as: key) }) {
            var message = "\(key.quotedForPeople) is no key that is known here"
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
    static func noObject(_ value: JSONValue, _ name: ObjectReader.Name) -> Fault {
        Fault(value.pointer, .wrongType, "\(name) must be an object, not \(value.kind)")
    }
}
