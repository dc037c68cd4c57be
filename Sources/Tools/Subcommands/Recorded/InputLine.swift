import Contract
import JSON

/// A line of input: a message alone, a topic and a message, or an object with both.
///
/// `sightlined --output -` writes the first form, `mosquitto_sub -v` the second, `sightline watch --json` the third.
enum InputLine: Equatable {
    /// A message of sightings, and the gateway that its topic names; `nil` for a message alone.
    case sightings([UInt8], from: Topics?)
    /// A message of another kind: status, health, configuration.
    case other
    case blank
    /// None of these forms.
    case invalid

    init(_ line: ArraySlice<UInt8>) {
        let space: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        guard let start = line.firstIndex(where: { !space.contains($0) }) else {
            self = .blank
            return
        }
        let text = line[start...]
        if text.first == UInt8(ascii: "{") {
            self = Self.watched(text) ?? .sightings(Array(text), from: nil)
            return
        }
        guard let end = text.firstIndex(of: UInt8(ascii: " ")) else {
            // An empty retained message is a topic alone.
            self = text.contains(UInt8(ascii: "/")) ? .other : .invalid
            return
        }
        let topic = String(decoding: text[..<end], as: UTF8.self)
        guard topic.contains("/") else {
            self = .invalid
            return
        }
        self = Self(topic: topic, text[text.index(after: end)...])
    }

    private init(topic: String, _ message: ArraySlice<UInt8>) {
        let kind = "/" + Topics.Kind.sightings.rawValue
        guard topic.hasSuffix(kind), let topics = Topics(place: String(topic.dropLast(kind.count)))
        else {
            self = .other
            return
        }
        self = .sightings(Array(message), from: topics)
    }

    /// The line of `sightline watch --json`, in any spelling; `nil` for a message alone.
    private static func watched(_ text: ArraySlice<UInt8>) -> InputLine? {
        // Most lines are messages alone, and are read once. They have no backslash, with which a name can be spelled.
        guard text.hasString(#"topic""#) || text.contains(UInt8(ascii: #"\"#)),
            let json = try? JSON(parsing: Array(text), maxBytes: text.count),
            case .string(let topic)? = json["topic"], let message = json["message"]
        else { return nil }
        return InputLine(topic: topic, message.bytes[...])
    }
}

extension ArraySlice<UInt8> {
    /// Whether a string of JSON begins here with these characters.
    fileprivate func hasString(_ word: StaticString) -> Bool {
        var rest = self
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[(quote + 1)...]
            if word.withUTF8Buffer({ rest.starts(with: $0) }) { return true }
        }
        return false
    }
}
