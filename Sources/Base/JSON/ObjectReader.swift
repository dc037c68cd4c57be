import Primitives

/// Reads a JSON object's members into typed values and collects all faults.
///
/// A getter that finds a fault records it and returns a stand-in, so that reading continues to the
/// next fault. `decode` never returns a value that contains stand-ins. A reader must request every
/// key, present or not: any other key is unknown.
package struct ObjectReader {
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
    struct Rules {
        var unknownKeys = UnknownKeys.areFaults
        var nulls = Nulls.areValues
    }

    /// Whether the document is a merge patch, and therefore incomplete.
    package var isPatch: Bool { rules.nulls == .removeKeys }
    /// The object's place in the document.
    package let pointer: JSONPointer
    let rules: Rules
    let members: [JSON.Member]
    /// The number of faults in the document before this object.
    private let faultsBefore: Int
    private var known: [String] = []
    private(set) var faults: [Fault] = []

    /// The faults of a document with a spelling suggestion or a list of keys. Both take time, and a reader of faults needs
    /// the first ones.
    private static let mostExplained = 200

    private init(
        _ members: [JSON.Member], at pointer: JSONPointer, _ rules: Rules, after faults: Int
    ) {
        self.members = members
        self.pointer = pointer
        self.rules = rules
        faultsBefore = faults
    }

    /// The number of faults that the document has so far.
    var faultsSoFar: Int { faultsBefore + faults.count }

    /// Makes a value of a document that must be an object; throws all faults that there are.
    ///
    /// `body` returns `nil` only after it has noted a fault.
    package static func decode<Value>(
        _ json: JSON, at pointer: JSONPointer = .root, unknownKeys: UnknownKeys = .areFaults,
        nulls: Nulls = .areValues, _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        let rules = Rules(unknownKeys: unknownKeys, nulls: nulls)
        switch read(json, called: "the document", at: pointer, rules, body) {
        case .success(let value): return value
        case .failure(let faults): throw faults
        }
    }

    /// The same for the bytes of a document.
    package static func decode<Value>(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int = JSON.usualDepth,
        allowingComments: Bool = false, unknownKeys: UnknownKeys = .areFaults,
        nulls: Nulls = .areValues, _ body: (inout ObjectReader) -> Value?
    ) throws(Faults) -> Value {
        let json: JSON
        do throws(JSONSyntaxError) {
            json = try JSON(
                parsing: bytes, maxBytes: maxBytes, depth: depth,
                allowingComments: allowingComments)
        } catch {
            throw Faults([error.fault])
        }
        return try decode(json, unknownKeys: unknownKeys, nulls: nulls, body)
    }

    /// Notes a fault that only the caller can see; `key` is `nil` for the object itself.
    package mutating func note(_ key: String?, _ code: Fault.Code, _ message: String) {
        faults.append(Fault(key.map(pointer.appending) ?? pointer, code, message))
    }

    mutating func note(_ more: Faults) { faults += more.list }

    /// Whether the member is present; the key counts as known from now on.
    package mutating func has(_ key: String) -> Bool { member(key) != nil }

    /// The member without conversion; `nil` when absent.
    package mutating func json(_ key: String) -> JSON? { member(key) }

    mutating func member(_ key: String) -> JSON? {
        if !known.contains(key) { known.append(key) }
        let value = members.first { $0.key.hasSameBytes(as: key) }?.value
        return rules.nulls == .removeKeys && value == .null ? nil : value
    }

    /// Reads one object and everything in it.
    static func read<Value>(
        _ json: JSON, called name: String, at pointer: JSONPointer, _ rules: Rules,
        after faults: Int = 0, _ body: (inout ObjectReader) -> Value?
    ) -> Result<Value, Faults> {
        guard case .object(let members) = json else {
            let message = "\(name) must be an object, not \(json.kind)"
            return .failure(Faults([Fault(pointer, .wrongType, message)]))
        }
        var reader = ObjectReader(members, at: pointer, rules, after: faults)
        let value = body(&reader)
        reader.noteUnknownKeys()
        if let value, reader.faults.isEmpty { return .success(value) }
        if reader.faults.isEmpty { reader.note(nil, .missing, "\(name) is incomplete") }
        return .failure(Faults(reader.faults))
    }

    private mutating func noteUnknownKeys() {
        guard rules.unknownKeys == .areFaults else { return }
        // The list of expected keys appears once per object.
        var isListed = false
        for member in members where !known.contains(where: { $0.hasSameBytes(as: member.key) }) {
            var message = "\(member.key.quotedForPeople) is no key that is known here"
            let isExplained = faultsSoFar < Self.mostExplained
            if isExplained, let nearest = NearestWord.to(member.key, among: known) {
                message += "; did you mean “\(nearest)”?"
            } else if isExplained, !known.isEmpty, !isListed {
                isListed = true
                message += "; expected \(known.joined(separator: ", "))"
            }
            note(member.key, .unknownKey, message)
        }
    }
}
