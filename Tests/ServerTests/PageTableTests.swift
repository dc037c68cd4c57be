import Inventory
import JSON
import Posix
import Primitives
import Queueing
import Testing

@testable import Server

@Suite("the table for browsers without JavaScript")
struct PageTableTests {
    private func html(_ documents: [String]) throws -> String {
        PresentTable(
            QueueResult.kind,
            try documents.map { try JSON(parsing: Array($0.utf8), maxBytes: 4096) }
        ).html
    }

    /// The cells by the titles of their columns.
    private func cells(_ document: String) throws -> [String: String] {
        let table = try html([document])
        #expect(table.hasPrefix("<table class=\"queue-table\"><caption>"))
        let cells = table.split(separator: "<td data-name=\"").dropFirst().compactMap { cell in
            let parts = cell.split(separator: "</td>")[0].split(
                separator: "\">", omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(cells) { first, _ in first }
    }

    @Test("a queue is a row with its name as header, each number with its interval")
    func known() throws {
        let document = """
            {"site":"s","queue":"q","state":"ok","since":null,"reasons":[],"length":{"people":6.25,"low":4,"high":9},
             "coverage":{"percent":70.0,"lowPercent":65.0,"highPercent":75.0},"wait":{"ms":240000,"lowMs":170000,
             "highMs":361000,"scored":140,"meanErrorMs":31000,"learning":false},
             "leavers":{"p90Ms":300000},"tills":{"open":1,"of":2}}
            """
        #expect(try html([document]).contains("<th scope=\"row\">q</th>"))
        #expect(
            try cells(document) == [
                "Site": "s", "State": "ok", "Since": "unknown", "Not hearing": "",
                "People in line": "6 (4 to 9)",
                "Wait": "4 min 0 s (2 min 50 s to 6 min 1 s)",
                "1 in 10 above": "5 min 0 s", "Past forecasts": "140", "Their mean error": "31 s",
                "Tills open": "1 of 2", "Share with a beacon": "70 % (65 % to 75 %)",
            ])
    }

    @Test("an unknown queue has no number but the time since when, and its reasons")
    func unknown() throws {
        let start = LocalDay(containing: 1_795_316_400_000).span.lowerBound.milliseconds
        let document = """
            {"site":"s","queue":"q","state":"unknown","since":\(start + 3_723_000),"reasons":[
             {"gateway":"till-1","state":"deaf","since":1,"until":\(start + 3_840_000)},
             {"gateway":"till-2","state":"lost","since":1,"until":null}],
             "length":null,"wait":null,"leavers":null,"tills":null,"coverage":null}
            """
        var cells = try cells(document)
        #expect(cells.removeValue(forKey: "State") == "unknown")
        #expect(cells.removeValue(forKey: "Since") == "05:02")
        #expect(cells.removeValue(forKey: "Not hearing") == "till-1 deaf (over), till-2 lost")
        #expect(cells.removeValue(forKey: "Site") == "s")
        #expect(cells.count == 7 && cells.values.allSatisfy { $0 == "unknown" })
    }

    @Test("names of beacons are texts of people, and an earlier day has its date")
    func beacons() throws {
        let day = LocalDay(containing: 1_795_316_400_000)
        let noon = day.span.lowerBound.milliseconds + 8 * 3_600_000
        let table = PresentTable(
            BeaconResult.kind,
            [
                try JSON(
                    parsing: Array(
                        """
                        {"site":"s","beacon":"U/1/2","name":"<b>&\\"","carrier":"fixed","registered":{"zone":null},
                         "at":\(noon),"state":"missing","work":{"withinDays":1,"sentence":"<i>"},
                         "lastHeard":\(noon - 86_400_000),"battery":null}
                        """.utf8), maxBytes: 4096)
            ])
        let html = table.html
        #expect(html.contains(">&lt;b&gt;&amp;\"</td>") && html.contains(">&lt;i&gt;<"))
        #expect(!html.contains("unknown") && !html.contains("In parentheses"))
        let yesterday = LocalDay(containing: UnixTime(milliseconds: noon - 86_400_000)).name
        #expect(html.contains(">\(yesterday) 12:00</td>"))
    }

    @Test("of thousands of rows, the first ones are shown")
    func many() throws {
        let table = try html((0..<1700).map { "{\"queue\":\"q\($0)\"}" })
        #expect(table.split(separator: "<tr>").count - 1 == 501)
        #expect(table.contains("<p>The API has 1,200 more.</p>"))
    }

    @Test("each column has a title, and each row a cell for it")
    func columns() throws {
        let table = try html([#"{"site":"s","queue":"q"}"#, #"{"site":"s","queue":"r"}"#])
        let titles = table.split(separator: "<th scope=\"col\">").count - 1
        #expect(titles == QueueResult.kind.columns.count + 2)
        #expect(table.split(separator: "<td ").count - 1 == 2 * (titles - 1))
    }

    @Test("a failed self-check names its queues")
    func selfCheck() throws {
        let check = { (residual: Int) throws in
            try html([#"{"site":"s","queue":"q","littleResidualMs":\#(residual)}"#])
                .contains("Self-check failed: q.")
        }
        #expect(try !check(0))
        #expect(try check(4))
    }

    @Test("the caption has the time of the latest numbers")
    func age() throws {
        let day = LocalDay(containing: 1_795_316_400_000)
        let start = day.span.lowerBound.milliseconds
        let caption = { (times: [String]) in
            try html(times.map { "{\"queue\":\"q\",\"at\":\($0)}" })
                .split(separator: "</caption>").first.map(String.init)
        }
        let times = ["\(start + 3_723_000)", "\(start + 3_840_000)", "null"]
        let words =
            "The numbers are those of \(day.name), 05:04. Load this page again for newer numbers."
        #expect(try caption(times)?.hasSuffix(words) == true)
        #expect(try caption(["null"])?.contains("those of") == false)
    }
}
