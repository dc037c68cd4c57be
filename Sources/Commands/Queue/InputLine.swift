import Contract

/// A line of input: a message alone, or a topic and a message.
///
/// `sightlined --output -` writes the first form, `mosquitto_sub -v` the second.
enum InputLine: Equatable {
    case sightings([UInt8])
    /// A message of another kind: status, health, configuration.
    case other
    case blank
    /// Neither form.
    case invalid

    init(_ line: ArraySlice<UInt8>) {
        let space: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        guard let start = line.firstIndex(where: { !space.contains($0) }) else {
            self = .blank
            return
        }
        let text = line[start...]
        if text.first == UInt8(ascii: "{") {
            self = .sightings(Array(text))
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
        let isSightings = topic.hasSuffix("/" + Topics.Kind.sightings.rawValue)
        self = isSightings ? .sightings(Array(text[text.index(after: end)...])) : .other
    }
}
