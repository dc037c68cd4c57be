import Contract
import JSON

extension Scenario.People {
    private enum Limit {
        static let stops = 100
        static let queues = 16
        /// Visits are made for an hour at a time, and reach back for one.
        static let staySeconds = 3600.0
    }

    init(from reader: inout ObjectReader) {
        let queue = reader.optionalObject("queue") { Scenario.Queue(from: &$0) }
        let queues = reader.objects("queues", atMost: Limit.queues) { Scenario.Queue(from: &$0) }
        self.init(
            major: reader.integer("major", in: 0...UInt16.max),
            perMinute: reader.number("perMinute", in: 0...120),
            door: reader.object("door") { Point(from: &$0) } ?? .origin,
            queues: queue.map { [$0] } ?? queues,
            exit: reader.object("exit") { Point(from: &$0) } ?? .origin)
        if reader.has("queue") == reader.has("queues") {
            reader.note("queue", .missing, "people has either queue or queues")
        }
        firstMinor = reader.integer("firstMinor", in: 0...UInt16.max, default: firstMinor)
        minors = reader.integer("minors", in: 1...65_536, default: minors)
        arrivals = reader.optionalObject("arrivals") { Cycle(from: &$0) }
        speed = reader.span("speed", in: 0.1...10) ?? speed
        stops = reader.objects("stops", atMost: Limit.stops) { Point(from: &$0) }
        stopSeconds = reader.span("stopSeconds", in: 0...3600) ?? stopSeconds
        tags = reader.optionalObject("tags") { Scenario.Tags(from: &$0) } ?? tags
        passersBy = reader.optionalObject("passersBy") { Scenario.PassersBy(from: &$0) }
        if !self.queues.isEmpty { check(&reader) }
    }

    private func check(_ reader: inout ObjectReader) {
        for (index, queue) in queues.enumerated()
        where queues[..<index].contains(where: { $0.id == queue.id }) {
            reader.note("queues", .outOfRange, "two queues are called “\(queue.id)”")
        }
        guard longestStay <= Limit.staySeconds else {
            let longest = Int(longestStay)
            reader.note(
                nil, .outOfRange,
                "a visit can last \(longest) s, more than the limit of 3600: shorten the queue, the service or the stops"
            )
            return
        }
        reader.checkMinors(
            minors, from: firstMinor, perMinute: limitPerMinute, staySeconds: longestStay)
        if let passersBy {
            let stay = passersBy.longestStay(speed)
            let limit = Self.limitPerMinute(peakPerMinute * passersBy.perVisitor)
            let needed = limit * Int(stay / 60 + 2)
            if stay > Limit.staySeconds || passersBy.minors < needed {
                reader.note(
                    "passersBy", .outOfRange,
                    "passersBy needs at least \(needed) minors, and paths and stops of at most an hour"
                )
            }
        }
    }
}

extension ObjectReader {
    /// Notes a number of beacons below the number of people who can be present at once.
    fileprivate mutating func checkMinors(
        _ minors: Int, from first: UInt16, perMinute: Int, staySeconds: Double
    ) {
        if Int(first) + minors - 1 > Int(UInt16.max) {
            note("minors", .outOfRange, "the last minor would be \(Int(first) + minors - 1)")
        }
        let needed = perMinute * Int(staySeconds / 60 + 2)
        if minors < needed {
            note(
                "minors", .outOfRange,
                "minors must be at least \(needed), or two people could bear the same one")
        }
    }
}

extension Scenario.Queue {
    init(from reader: inout ObjectReader) {
        let till = reader.optionalObject("till") { Point(from: &$0) }
        let tills = reader.objects("tills", atMost: 64) { Scenario.Till(from: &$0) }
        self.init(
            entry: reader.object("entry") { Point(from: &$0) } ?? .origin,
            tills: till.map { [Scenario.Till(place: $0)] } ?? tills,
            serviceSeconds: reader.span("serviceSeconds", in: 0...3600) ?? 0...0)
        if reader.has("till") == reader.has("tills") {
            reader.note("till", .missing, "a queue has either till or tills")
        } else if self.tills.isEmpty || self.tills[0].open != nil {
            reader.note("tills", .outOfRange, "the first till must be there, and always open")
        }
        // A placeholder for a faulty list, which is noted.
        if self.tills.isEmpty { self.tills = [Scenario.Till(place: .origin)] }
        if !reader.has("serviceSeconds") {
            reader.note("serviceSeconds", .missing, "serviceSeconds is required")
        }
        id = reader.optionalParsed("id", expecting: Topics.nameRule, Topics.name) ?? id
        spacing = reader.number("spacing", in: 0.1...10, default: spacing)
        maxLength = reader.integer("maxLength", in: 0...1000, default: maxLength)
        share = reader.number("share", in: 0...1000, default: share)
        giveUpPercent = reader.number("giveUpPercent", in: 0...100, default: giveUpPercent)
        patienceSeconds = reader.span("patienceSeconds", in: 0...3600) ?? patienceSeconds
    }
}

extension Scenario.Till {
    init(from reader: inout ObjectReader) {
        self.init(
            place: Point(from: &reader),
            open: reader.optionalObject("open") { Cycle(from: &$0) })
    }
}

extension Scenario.Tags {
    init(from reader: inout ObjectReader) {
        self.init()
        percent = reader.number("percent", in: 0...100, default: percent)
        failsPercent = reader.number("failsPercent", in: 0...100, default: failsPercent)
        staysOnPercent = reader.number("staysOnPercent", in: 0...100, default: staysOnPercent)
        staysOnSeconds = reader.span("staysOnSeconds", in: 0...3600) ?? staysOnSeconds
        phonePercent = reader.number("phonePercent", in: 0...100, default: phonePercent)
        phoneMajor = reader.integer("phoneMajor", in: 0...UInt16.max, default: phoneMajor)
        phoneSeconds = reader.number("phoneSeconds", in: 1...86_400, default: phoneSeconds)
        if phonePercent > 0, !reader.has("phoneMajor") {
            reader.note("phoneMajor", .missing, "phoneMajor is required with phonePercent")
        }
    }
}

extension Scenario.PassersBy {
    init(from reader: inout ObjectReader) {
        self.init(
            major: reader.integer("major", in: 0...UInt16.max),
            perVisitor: reader.number("perVisitor", in: 0...100),
            paths: reader.objects("paths", atMost: 100) { Scenario.Path(from: &$0) })
        firstMinor = reader.integer("firstMinor", in: 0...UInt16.max, default: firstMinor)
        minors = reader.integer("minors", in: 1...65_536, default: minors)
        stopSeconds = reader.span("stopSeconds", in: 0...3600) ?? stopSeconds
        if paths.isEmpty { reader.note("paths", .missing, "paths needs at least one path") }
        if Int(firstMinor) + minors - 1 > Int(UInt16.max) {
            reader.note(
                "minors", .outOfRange, "the last minor would be \(Int(firstMinor) + minors - 1)")
        }
    }
}

extension Scenario.Path {
    init(from reader: inout ObjectReader) {
        self.init(
            from: reader.object("from") { Point(from: &$0) } ?? .origin,
            to: reader.object("to") { Point(from: &$0) } ?? .origin)
        width = reader.number("width", in: 0...1000, default: width)
        share = reader.number("share", in: 0...1000, default: share)
        stopPercent = reader.number("stopPercent", in: 0...100, default: stopPercent)
    }
}

extension Scenario.Staff {
    init(from reader: inout ObjectReader) {
        self.init(
            major: reader.integer("major", in: 0...UInt16.max),
            firstMinor: reader.integer("minor", in: 0...UInt16.max),
            count: reader.integer("count", in: 1...100, default: 1),
            posts: reader.objects("posts", atMost: 100) { Point(from: &$0) })
        stopSeconds = reader.span("stopSeconds", in: 1...3600) ?? stopSeconds
        if posts.isEmpty { reader.note("posts", .missing, "posts needs at least one post") }
        if Int(firstMinor) + count - 1 > Int(UInt16.max) {
            reader.note(
                "count", .outOfRange, "the last minor would be \(Int(firstMinor) + count - 1)")
        }
    }
}

extension Cycle {
    init?(from reader: inout ObjectReader) {
        let seconds = reader.number("seconds", in: 1...604_800)
        let factors = reader.numbers("factors", atMost: 1440, in: 0...1000)
        guard !factors.isEmpty else {
            if !reader.has("factors") {
                reader.note("factors", .missing, "factors needs at least one number")
            }
            return nil
        }
        self.init(seconds: seconds, factors: factors)
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
