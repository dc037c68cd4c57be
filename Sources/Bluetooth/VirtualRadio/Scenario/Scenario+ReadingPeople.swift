import JSON

extension Scenario.People {
    private enum Limit {
        static let stops = 100
        /// Visits are made for an hour at a time, and reach back for one.
        static let staySeconds = 3600.0
    }

    init(from reader: inout ObjectReader) {
        self.init(
            major: reader.integer("major", in: 0...UInt16.max),
            perMinute: reader.number("perMinute", in: 0...120),
            door: reader.object("door") { Point(from: &$0) } ?? .origin,
            queue: reader.object("queue") { Scenario.Queue(from: &$0) } ?? .missing,
            exit: reader.object("exit") { Point(from: &$0) } ?? .origin)
        firstMinor = reader.integer("firstMinor", in: 0...UInt16.max, default: firstMinor)
        minors = reader.integer("minors", in: 1...65_536, default: minors)
        speed = reader.span("speed", in: 0.1...10) ?? speed
        stops = reader.objects("stops", atMost: Limit.stops) { Point(from: &$0) }
        stopSeconds = reader.span("stopSeconds", in: 0...3600) ?? stopSeconds
        check(&reader)
    }

    private func check(_ reader: inout ObjectReader) {
        if Int(firstMinor) + minors - 1 > Int(UInt16.max) {
            reader.note(
                "minors", .outOfRange, "the last minor would be \(Int(firstMinor) + minors - 1)")
        }
        guard longestStay <= Limit.staySeconds else {
            let longest = Int(longestStay)
            reader.note(
                nil, .outOfRange,
                "a visit can last \(longest) s, more than the limit of 3600: shorten the queue, the service or the stops"
            )
            return
        }
        let needed = limitPerMinute * Int(longestStay / 60 + 2)
        if minors < needed {
            reader.note(
                "minors", .outOfRange,
                "minors must be at least \(needed), or two people could bear the same one")
        }
    }
}

extension Scenario.Queue {
    /// A placeholder for a faulty queue, which the reader has noted.
    fileprivate static let missing = Scenario.Queue(
        entry: .origin, till: .origin, serviceSeconds: 0...0)

    init(from reader: inout ObjectReader) {
        self.init(
            entry: reader.object("entry") { Point(from: &$0) } ?? .origin,
            till: reader.object("till") { Point(from: &$0) } ?? .origin,
            serviceSeconds: reader.span("serviceSeconds", in: 0...3600) ?? 0...0)
        if !reader.has("serviceSeconds") {
            reader.note("serviceSeconds", .missing, "serviceSeconds is required")
        }
        spacing = reader.number("spacing", in: 0.1...10, default: spacing)
        maxLength = reader.integer("maxLength", in: 0...1000, default: maxLength)
    }
}

extension ObjectReader {
    /// An object with `min` and `max`; `nil` when it is not there or wrong.
    mutating func span(
        _ key: String, in range: ClosedRange<Double>
    ) -> ClosedRange<Double>? {
        optionalObject(key) { reader -> ClosedRange<Double>? in
            let least = reader.number("min", in: range)
            let most = reader.number("max", in: range)
            guard least <= most else {
                reader.note("max", .outOfRange, "max must not be less than min")
                return nil
            }
            return least...most
        }
    }
}
