import Beacons
import Glibc
import Posix
import Primitives

/// What happens in a world, for those who judge an estimate: lines of JSON in the order of time.
///
/// config/scenarios/README.md describes the lines. Times are those of the radio.
package struct Truth: Sendable {
    private let scenario: Scenario
    private var population: Population

    private enum Period {
        /// Between two lines with everybody's place.
        static let places: Duration = .seconds(1)
    }

    package init(_ scenario: Scenario) {
        self.scenario = scenario
        population = Population(scenario, SeededRandom(seed: scenario.seed))
    }

    /// What happens from `start` until just before `end`.
    ///
    /// Times are those of the wall clock.
    package mutating func lines(from start: Instant, to end: Instant) -> String {
        linesOfWorld(from: scenario.worldTime(at: start), to: scenario.worldTime(at: end))
    }

    private mutating func linesOfWorld(from start: Instant, to end: Instant) -> String {
        guard start < end else { return "" }
        // A stay of a person who has left is still a part of the lengths before.
        var people: [Person] = []
        population.forEach(from: start, to: end) { person in
            if person.visit.start < end, start < person.visit.end { people.append(person) }
        }
        var lines = people.flatMap { events(of: $0) }.filter { start <= $0.time && $0.time < end }
        var time = Instant(stretch: start.stretch(of: Period.places), of: Period.places)
        if time < start { time = time + Period.places }
        while time < end {
            lines.append(Line(time: time, text: places(of: people, at: time)))
            time = time + Period.places
        }
        // Events of one moment keep their order; the places of that moment come after them.
        let order = lines.indices.sorted { (lines[$0].time, $0) < (lines[$1].time, $1) }
        return order.map { lines[$0].text + "\n" }.joined()
    }

    private struct Line {
        let time: Instant
        let text: String
    }

    /// The events of a person's stay in a queue.
    private func events(of person: Person) -> [Line] {
        guard let stay = person.visit.stay else { return [] }
        func line(_ time: Instant, _ event: String, _ more: [String] = []) -> Line {
            var members = [
                "\"time\":\(unixMs(time))", "\"event\":\"\(event)\"",
                "\"queue\":\"\(name(of: stay))\"", "\"person\":\"\(person.name)\"",
            ]
            // The beacon with which the person joined: a tag that has failed since keeps its name.
            if let identity = person.identity(at: stay.joined) {
                let numbers = "\(identity.major)/\(identity.minor)"
                members.append("\"beacon\":\"\(identity.uuid)/\(numbers)\"")
            }
            return Line(time: time, text: "{" + (members + more).joined(separator: ",") + "}")
        }
        let joined = "\"joined\":\(unixMs(stay.joined))"
        switch stay.outcome {
        case .turnedAway: return [line(stay.joined, "turnedAway")]
        case .gaveUp:
            return [line(stay.joined, "joined"), line(stay.left, "gaveUp", [joined])]
        case .served:
            let till = "\"till\":\((stay.till ?? 0) + 1)"
            return [
                line(stay.joined, "joined"), line(stay.called, "called", [till]),
                line(stay.left, "served", [joined, "\"called\":\(unixMs(stay.called))", till]),
            ]
        }
    }

    /// Where everybody is, and how long the queues are.
    private func places(of people: [Person], at time: Instant) -> String {
        var present: [String] = []
        var waiting = Array(repeating: 0, count: scenario.people?.queues.count ?? 0)
        var atTills = waiting
        for person in people where person.visit.start <= time && time < person.visit.end {
            let place = person.visit.place(at: time)
            present.append(
                "{\"person\":\"\(person.name)\",\"role\":\"\(person.role.rawValue)\","
                    + "\"x\":\(Self.metres(place.x)),\"y\":\(Self.metres(place.y))}")
            guard let stay = person.visit.stay, stay.outcome != .turnedAway,
                stay.joined <= time, time < stay.left
            else { continue }
            if time < stay.called { waiting[stay.queue] += 1 } else { atTills[stay.queue] += 1 }
        }
        let queues = (scenario.people?.queues ?? []).enumerated().map { index, queue in
            let open = queue.tills.count { $0.open.map { $0.factor(at: time) > 0 } ?? true }
            return "{\"queue\":\"\(queue.id)\",\"length\":\(waiting[index] + atTills[index]),"
                + "\"waiting\":\(waiting[index]),\"tillsOpen\":\(open)}"
        }
        return "{\"time\":\(unixMs(time)),\"event\":\"places\",\"queues\":["
            + queues.joined(separator: ",") + "],\"people\":[" + present.joined(separator: ",")
            + "]}"
    }

    private func name(of stay: QueueStay) -> String {
        scenario.people?.queues[stay.queue].id ?? ""
    }

    private func unixMs(_ time: Instant) -> Int64 { scenario.wallTime(at: time).milliseconds }

    /// Metres with centimetres.
    private static func metres(_ value: Double) -> String {
        let centimetres = Int64((value * 100).rounded())
        let (whole, rest) = centimetres.magnitude.quotientAndRemainder(dividingBy: 100)
        return (centimetres < 0 ? "-" : "") + "\(whole)." + (rest < 10 ? "0" : "") + "\(rest)"
    }
}

/// Writes the truth to a file while it happens.
package final class TruthWriter: Sendable {
    private enum Timing {
        /// Between two looks at the clock, in milliseconds.
        static let tick = 100
        /// After a longer suspension of the process or machine, the missed time is skipped.
        static let longestGap: Duration = .seconds(60)
        /// The part of the truth in memory.
        static let step: Duration = .seconds(60)
    }

    private let file: Descriptor
    private let truth: Guarded<Truth>

    /// Opens the file, and empties it; `-` is standard output.
    package init(_ truth: Truth, path: String) throws(Errno) {
        self.truth = Guarded(truth)
        file = try Descriptor(from: {
            path == "-"
                ? dup(STDOUT_FILENO)
                : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        })
    }

    /// Writes until `stop` becomes readable or `deadline` (boot clock) has come.
    package func run(stop: CInt, deadline: Instant? = nil) throws(Errno) {
        var written = Clocks.wall
        while true {
            let happened = try Poll.wait(for: [Poll.Interest(stop)], timeout: Timing.tick)
            let now = Clocks.wall
            if now - written > Timing.longestGap { written = now }
            if written - now > Timing.longestGap { written = now }
            if now > written {
                try writeLines(from: written, to: now)
                written = now
            }
            if !happened[0].isEmpty || deadline.map({ .now >= $0 }) ?? false { return }
        }
    }

    /// Writes the truth of a span of the wall clock.
    package func write(from start: Instant, to end: Instant) throws(Errno) {
        var time = start
        while time < end {
            let next = min(end, time + Timing.step)
            try writeLines(from: time, to: next)
            time = next
        }
    }

    private func writeLines(from start: Instant, to end: Instant) throws(Errno) {
        let text = truth.withLock { $0.lines(from: start, to: end) }
        try file.writeAll(Array(text.utf8))
    }
}
