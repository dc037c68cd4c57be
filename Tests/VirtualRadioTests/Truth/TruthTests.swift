import Foundation
import Primitives
import Testing

@testable import VirtualRadio

/// A line of the truth.
private struct TruthLine {
    let time: Int64
    let event: String
    let object: [String: Any]

    init(_ text: Substring) throws {
        object = try JSONReading.object(String(text))
        time = try #require(object["time"] as? Int64)
        event = try #require(object["event"] as? String)
    }

    func string(_ key: String) -> String? { object[key] as? String }
    func number(_ key: String) -> Int64? { object[key] as? Int64 }
    func list(_ key: String) -> [[String: Any]] { object[key] as? [[String: Any]] ?? [] }
}

@Suite struct TruthTests {
    /// 2026-06-01 08:00 UTC.
    private static let morning = Instant.seconds(1_780_300_800)

    /// Two queues with one entry; the second till of the first queue is open every other 10 minutes.
    private static let shop = """
        {"seed": 5, "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0",
         "gateways": [{"id": "entry-1", "x": 0, "y": 0}],
         "people": {
           "major": 1, "perMinute": 4, "speed": {"min": 0.9, "max": 1.4},
           "arrivals": {"seconds": 3600, "factors": [0, 1, 0.5, 1, 0.5, 0]},
           "door": {"x": -10, "y": 0}, "exit": {"x": 20, "y": 0},
           "tags": {"percent": 60},
           "passersBy": {"major": 2, "perVisitor": 3,
             "paths": [{"from": {"x": -10, "y": 5}, "to": {"x": 15, "y": 5}, "width": 2, "stopPercent": 50}]},
           "queues": [
             {"id": "left", "share": 2, "entry": {"x": 0, "y": 0}, "maxLength": 12, "serviceSeconds": {"min": 20, "max": 40},
              "giveUpPercent": 30, "patienceSeconds": {"min": 20, "max": 60},
              "tills": [{"x": 6, "y": 0}, {"x": 6, "y": 1.5, "open": {"seconds": 1200, "factors": [1, 0]}}]},
             {"id": "right", "entry": {"x": 0, "y": 0}, "till": {"x": 6, "y": -2}, "maxLength": 5,
              "serviceSeconds": {"min": 20, "max": 60}}]},
         "staff": [{"major": 3, "minor": 1, "count": 2, "posts": [{"x": 7, "y": 1}, {"x": 9, "y": 3}, {"x": 8, "y": -3}]}]}
        """

    private static func lines(
        _ text: String = shop, hours: Int64 = 2, step: Duration = .seconds(3600)
    ) throws -> [TruthLine] {
        var truth = Truth(try Scenario(parsing: Array(text.utf8)))
        var output = ""
        let end = morning + .seconds(hours * 3600)
        for start in Instant.steps(from: morning, to: end, by: step) {
            output += truth.lines(from: start, to: min(start + step, end))
        }
        return try output.split(separator: "\n").map { try TruthLine($0) }
    }

    @Test("the lengths equal the people who have joined and not left") func lengths() throws {
        let lines = try Self.lines()
        #expect(lines.map(\.time) == lines.map(\.time).sorted())
        // The queues are empty in the first minutes, in which nobody comes.
        var present: [String: Set<String>] = [:]
        var longest = 0
        for line in lines {
            let queue = line.string("queue") ?? ""
            let person = line.string("person") ?? ""
            switch line.event {
            case "joined": present[queue, default: []].insert(person)
            case "served", "gaveUp":
                #expect(present[queue]?.remove(person) != nil, "\(person) left without joining")
            case "turnedAway":
                #expect(present[queue]?.count == (queue == "left" ? 12 : 5))
            case "places":
                for entry in line.list("queues") {
                    let name = try #require(entry["queue"] as? String)
                    let length = try #require(entry["length"] as? Int)
                    #expect(length == present[name]?.count ?? 0, "\(name) at \(line.time)")
                    longest = max(longest, length)
                }
            default: break
            }
        }
        #expect(longest > 4)
    }

    @Test("each till serves one person at a time, while it is open, in the order of joining")
    func tills() throws {
        let lines = try Self.lines()
        var joined: [String: [(time: Int64, person: String)]] = [:]
        var busy: [String: Int64] = [:]
        var calls = 0
        for line in lines {
            let queue = line.string("queue") ?? ""
            let person = line.string("person") ?? ""
            let till = "\(queue)-\(line.number("till") ?? 0)"
            switch line.event {
            case "joined": joined[queue, default: []].append((line.time, person))
            case "gaveUp": joined[queue]?.removeAll { $0.person == person }
            case "called":
                calls += 1
                #expect(joined[queue]?.first?.person == person, "\(person) jumped the queue")
                joined[queue]?.removeFirst()
                #expect(busy[till] == nil, "\(till) has two people at \(line.time)")
                busy[till] = line.time
                // 1200 s: 600 s open, 600 s closed. One who walks may arrive a few seconds later.
                let position = line.time % 1_200_000
                #expect(till != "left-2" || position < 605_000, "\(till) is closed")
            case "served": busy[till] = nil
            default: break
            }
        }
        #expect(calls > 150)
        #expect(lines.contains { $0.event == "called" && $0.number("till") == 2 })
    }

    @Test("nobody waits while a till is free and open") func noIdleTills() throws {
        // A person who is still walking to the end of the line is not there yet: 12 m at 0.9 m/s.
        var idle: [String: Int] = [:]
        for line in try Self.lines() where line.event == "places" {
            for entry in line.list("queues") {
                let name = try #require(entry["queue"] as? String)
                let waiting = try #require(entry["waiting"] as? Int)
                let length = try #require(entry["length"] as? Int)
                let open = try #require(entry["tillsOpen"] as? Int)
                idle[name] = waiting > 0 && length - waiting < open ? (idle[name] ?? 0) + 1 : 0
                #expect(idle[name] ?? 0 <= 14, "\(name) at \(line.time)")
            }
        }
    }

    @Test("people give up after their patience, and turn away from a line that is too long")
    func patience() throws {
        let lines = try Self.lines()
        let gaveUp = lines.filter { $0.event == "gaveUp" }
        #expect(gaveUp.count > 5)
        for line in gaveUp {
            let waited = line.time - (line.number("joined") ?? 0)
            // Those who are still walking when their patience ends leave a little later.
            #expect((20_000...75_000).contains(waited), "\(waited) ms")
            #expect(line.string("queue") == "left")
        }
        let away = lines.filter { $0.event == "turnedAway" }
        #expect(away.contains { $0.string("queue") == "right" })
    }

    @Test("the shares of tags, queues, passers-by and arrivals are the scenario's") func shares()
        throws
    {
        let lines = try Self.lines(hours: 12)
        let joined = lines.filter { $0.event == "joined" || $0.event == "turnedAway" }
        // 4 a minute × 1/2 × 720 minutes = 1440, with four standard deviations of 38.
        #expect(abs(joined.count - 1440) < 152, "\(joined.count)")
        let share = { (part: Int, whole: Int) in Double(part) / Double(whole) }
        // Of 1440, four standard deviations are 5 %.
        let tagged = share(joined.count { $0.string("beacon") != nil }, joined.count)
        #expect(abs(tagged - 0.6) < 0.052, "\(tagged)")
        let left = share(joined.count { $0.string("queue") == "left" }, joined.count)
        #expect(abs(left - 2.0 / 3) < 0.05, "\(left)")
        // Nobody comes in the first and the last ten minutes of an hour; it takes 7 to 12 s to the entry.
        for line in joined {
            let position = line.time % 3_600_000
            #expect((600_000...3_020_000).contains(position), "\(position)")
        }
        var passersBy: Set<String> = []
        for line in lines where line.event == "places" {
            for person in line.list("people") where person["role"] as? String == "passerBy" {
                passersBy.insert(person["person"] as? String ?? "")
            }
        }
        // Three for each visitor: 4320, with four standard deviations of 66.
        #expect(abs(passersBy.count - 4320) < 264, "\(passersBy.count)")
    }

    @Test("people walk: nobody jumps, and the staff is always there") func noJumps() throws {
        var last: [String: (time: Int64, x: Double, y: Double)] = [:]
        for line in try Self.lines() where line.event == "places" {
            let people = line.list("people")
            #expect(people.count { $0["role"] as? String == "staff" } == 2)
            for person in people {
                let name = try #require(person["person"] as? String)
                let x = try #require(person["x"] as? Double)
                let y = try #require(person["y"] as? Double)
                if let before = last[name], line.time - before.time == 1000 {
                    let metres = ((x - before.x) * (x - before.x) + (y - before.y) * (y - before.y))
                        .squareRoot()
                    // 1.4 m/s, and a centimetre of rounding at both ends.
                    #expect(metres < 1.43, "\(name) at \(line.time): \(metres) m")
                }
                last[name] = (line.time, x, y)
            }
        }
    }

    @Test("the truth does not depend on the steps in which it is read") func steps() throws {
        let one = try Self.lines(hours: 1).map(\.object) as NSArray
        let many = try Self.lines(hours: 1, step: .seconds(97)).map(\.object) as NSArray
        #expect(one.isEqual(many))
    }
}
