import JSON
import Testing

@testable import Server

@Suite("the table for browsers without JavaScript")
struct PageTableTests {
    private func row(_ document: String) throws -> String {
        let table = PageRoutes.table([try JSON(parsing: Array(document.utf8), maxBytes: 4096)])
        #expect(table.hasPrefix("<table><caption>"))
        let body = try #require(table.split(separator: "<tbody>").last)
        return String(body.split(separator: "</tbody>")[0])
    }

    @Test("a queue is a row with its name as header, each number with its interval")
    func known() throws {
        let row = try row(
            """
            {"site":"s","queue":"q","state":"ok","length":{"people":6.25,"low":4,"high":9},
             "wait":{"ms":240000,"lowMs":180000,"highMs":360000}}
            """)
        #expect(
            row == "<tr><td>s</td><th scope=\"row\">q</th><td>ok</td><td>6.3 (4 to 9)</td>"
                + "<td>4.0 (3.0 to 6.0)</td></tr>")
    }

    @Test("an unknown queue has no number")
    func unknown() throws {
        let row = try row(
            #"{"site":"s","queue":"q","state":"unknown","length":null,"wait":null}"#)
        #expect(!row.contains { $0.isNumber })
        #expect(row.hasSuffix("<td>unknown</td><td>unknown</td><td>unknown</td></tr>"))
    }
}
