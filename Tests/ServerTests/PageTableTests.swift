import Foundation
import JSON
import Posix
import Primitives
import Testing

@testable import Server

@Suite("the table for browsers without JavaScript")
struct PageTableTests {
    private func cells(_ document: String) throws -> [String] {
        let table = QueueTable([try JSON(parsing: Array(document.utf8), maxBytes: 4096)]).html
        #expect(table.hasPrefix("<table class=\"queue-table\"><caption>"))
        let body = try #require(table.split(separator: "<tbody>").last)
        return body.split(separator: "</td>").dropLast().map { cell in
            String(cell.split(separator: ">", omittingEmptySubsequences: false).last ?? "")
        }
    }

    @Test("a queue is a row with its name as header, each number with its interval")
    func known() throws {
        let document = """
            {"site":"s","queue":"q","state":"ok","reasons":[],"length":{"people":6.25,"low":4,"high":9},
             "coverage":{"percent":70,"lowPercent":65,"highPercent":75},"wait":{"ms":240000,"lowMs":170000,
             "highMs":361000,"scored":140,"meanErrorMs":31000,"learning":false},
             "tills":{"open":1,"of":2}}
            """
        let html = QueueTable([try JSON(parsing: Array(document.utf8), maxBytes: 4096)]).html
        #expect(html.contains("<th scope=\"row\">q</th>"))
        #expect(
            try cells(document) == [
                "s", "ok", "6 (4 to 9)", "4 minutes (2½ to 7)", "missed by 30 seconds on average",
                "1 of 2", "70 % (65 to 75 %)",
            ])
    }

    @Test("a known queue that has served nobody has no forecast yet")
    func unserved() throws {
        let document = """
            {"site":"s","queue":"q","state":"degraded","since":null,"reasons":[],
             "length":{"people":1.0,"low":1,"high":2},"coverage":null,"wait":null,"tills":null}
            """
        #expect(
            try cells(document) == [
                "s", "Less certain: no messages have arrived yet", "1 with a beacon (1 to 2)",
                "No forecast yet", "none", "unknown", "unknown",
            ])
    }

    @Test("the self-check agrees after a visit, and names the queues where it failed")
    func selfCheck() throws {
        let words = { (residual: Int, served: Int) throws -> Bool? in
            let document = """
                {"site":"s","queue":"q","state":"ok","littleResidualMs":\(residual),
                 "leavers":{"served":\(served),"abandoned":0}}
                """
            let table = QueueTable([try JSON(parsing: Array(document.utf8), maxBytes: 4096)]).html
            return table.contains("do not agree (q)")
                ? false : table.contains("waits agree") ? true : nil
        }
        #expect(try words(0, 1) == true)
        #expect(try words(0, 0) == nil)
        #expect(try words(4, 1) == false)
    }

    @Test("the caption has the time of the latest numbers")
    func age() throws {
        let day = LocalDay(containing: 1_795_316_400_000)
        let start = day.span.lowerBound.milliseconds
        let caption = { (times: [String]) in
            let queues = try times.map { at in
                try JSON(parsing: Array("{\"queue\":\"q\",\"at\":\(at)}".utf8), maxBytes: 4096)
            }
            return QueueTable(queues).html.split(separator: "</caption>").first.map(String.init)
        }
        let times = ["\(start + 3_723_000)", "\(start + 3_840_000)", "null"]
        let words =
            "The numbers are those of \(day.name), 05:04. Load this page again for newer numbers."
        #expect(try caption(times)?.hasSuffix(words) == true)
        #expect(try caption(["null"])?.contains("those of") == false)
    }

    @Test("a short wait is in tens of seconds, and people without a known coverage have a beacon")
    func short() throws {
        let document = """
            {"site":"s","queue":"q","state":"ok","reasons":[],"length":{"people":1.0,"low":1,"high":2},
             "coverage":null,"wait":{"ms":36298,"lowMs":9504,"highMs":90001},"tills":null}
            """
        #expect(
            try cells(document) == [
                "s", "ok", "1 with a beacon (1 to 2)", "40 seconds (0 to 100)",
                "No forecast has been compared with a wait yet", "unknown", "unknown",
            ])
    }

    @Test("below five minutes, waits are in half minutes, with a guess marked")
    func halves() throws {
        let document = """
            {"site":"s","queue":"q","state":"ok","reasons":[],"length":{"people":1.0,"low":1,"high":2},
             "coverage":null,"wait":{"ms":92500,"lowMs":31000,"highMs":190000,
             "learning":true,"scored":3,"meanErrorMs":31000},"tills":null}
            """
        let cells = try cells(document)
        #expect(cells[3] == "1½ minutes (½ to 3½, a guess)")
        #expect(cells[4] == "missed by 30 seconds on average, few so far")
    }

    @Test("an unknown queue has no number but the time since when, and its reasons")
    func unknown() throws {
        let start = LocalDay(containing: 1_795_316_400_000).span.lowerBound.milliseconds
        let document = """
            {"site":"s","queue":"q","state":"unknown","since":\(start + 3_723_000),"reasons":[
             {"gateway":"till-1","state":"deaf","since":1,"until":\(start + 3_840_000)},
             {"gateway":"till-2","state":"lost","since":1,"until":null}],
             "length":null,"wait":null,"tills":null,"coverage":null}
            """
        #expect(
            try cells(document) == [
                "s",
                "Unknown since 05:02: till-1 did not hear until 05:04, messages of till-2 are lost",
                "unknown", "unknown", "unknown", "unknown", "unknown",
            ])
    }

    @Test("two times within a minute have their seconds")
    func seconds() throws {
        let start = LocalDay(containing: 1_795_316_400_000).span.lowerBound.milliseconds
        let document = """
            {"site":"s","queue":"q","state":"unknown","since":\(start + 3_723_000),"reasons":[
             {"gateway":"till-2","state":"unknown","since":1,"until":\(start + 3_764_000)}],
             "length":null,"wait":null,"tills":null,"coverage":null}
            """
        #expect(
            try cells(document)[1]
                == "Unknown since 05:02:03. A person who is still near may have joined unseen: "
                + "messages of till-2 were missing until 05:02:44")
    }

    /// What the table and the page say, in `Tests/Page/words.json`.
    private struct Words: Decodable {
        struct Wait: Decodable {
            let ms, lowMs, highMs: Int64
            let learning: Bool
            let words: String
        }

        let durations: [String: String]
        let waits: [Wait]
        let reasons: [String: [String]]

        init() throws {
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
            let data = try Data(contentsOf: tests.appendingPathComponent("Page/words.json"))
            self = try JSONDecoder().decode(Words.self, from: data)
        }
    }

    private func queue(_ wait: String) -> String {
        """
        {"site":"s","queue":"q","state":"ok","reasons":[],"length":{"people":1.0,"low":1,"high":2},"wait":\(wait)}
        """
    }

    @Test("waits and durations have the words of the page")
    func durations() throws {
        let words = try Words()
        #expect(!words.waits.isEmpty && !words.durations.isEmpty)
        for one in words.waits {
            let document = queue(
                "{\"ms\":\(one.ms),\"lowMs\":\(one.lowMs),\"highMs\":\(one.highMs),\"learning\":\(one.learning)}"
            )
            #expect(try cells(document)[3] == one.words)
        }
        for (ms, text) in words.durations {
            let document = queue(
                "{\"ms\":0,\"lowMs\":0,\"highMs\":0,\"scored\":9,\"meanErrorMs\":\(ms)}")
            #expect(try cells(document)[4] == "missed by \(text) on average")
        }
    }

    @Test("the state of a gateway has the words of the page, at present and in the past")
    func reasons() throws {
        let start = LocalDay(containing: 1_795_316_400_000).span.lowerBound.milliseconds
        let words = try Words()
        #expect(!words.reasons.isEmpty)
        for (state, texts) in words.reasons {
            let cell = { (until: String) in
                try cells(
                    """
                    {"site":"s","queue":"q","state":"unknown","since":\(start + 3_723_000),"reasons":[
                     {"gateway":"till-2","state":"\(state)","since":1,"until":\(until)}]}
                    """)[1]
            }
            #expect(try cell("null") == "Unknown since 05:02: \(texts[0])")
            #expect(
                try cell("\(start + 3_840_000)").hasSuffix(" unseen: \(texts[1]) until 05:04"))
        }
    }
}
