import JSON
import Testing

@testable import Server

@Suite("the first values of a minute")
struct RestatementMarkTests {
    @Test("a known minute keeps its numbers and the gateways that were missing")
    func known() throws {
        let minute = """
            {"rev":1,"state":"degraded","length":{"people":6.2},"forecast":{"waitMs":240000},"served":2,
             "abandoned":1,"waits":{"medianMs":180000},"reasons":[{"gateway":"till-2","state":"unknown","ms":42000}]}
            """
        let mark = RestatementMark(try JSON(parsing: Array(minute.utf8), maxBytes: 4096)).json.text
        #expect(
            mark
                == #"{"rev":1,"people":6.2,"waitMs":240000,"served":2,"abandoned":1,"medianMs":180000,"#
                + #""reasons":[{"gateway":"till-2","state":"unknown","ms":42000}]}"#)
    }

    @Test("an unknown minute has no number")
    func unknown() throws {
        let minute = """
            {"rev":3,"state":"unknown","length":null,"forecast":null,"served":null,"abandoned":null,
             "waits":null,"reasons":[]}
            """
        let mark = RestatementMark(try JSON(parsing: Array(minute.utf8), maxBytes: 4096)).json.text
        #expect(
            mark
                == #"{"rev":3,"people":null,"waitMs":null,"served":null,"abandoned":null,"medianMs":null,"reasons":[]}"#
        )
    }
}
