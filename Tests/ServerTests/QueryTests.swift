import Foundation
import HTTP
import JSON
import Posix
import Primitives
import TestSupport
import Testing

@testable import Server

@Suite("the query of a request")
struct QueryTests {
    @Test("a time is milliseconds since 1970, or ISO 8601 with its zone")
    func times() throws {
        let formatter = ISO8601DateFormatter()
        var random = SplitMix64(seed: 38)
        for _ in 0..<500 {
            let second = Int64(random.next() % 253_402_300_800)
            let date = Date(timeIntervalSince1970: TimeInterval(second))
            for hours in [0, -12, -7, 5, 14] {
                let offset = hours * 3600 + (hours == 5 ? 1800 : 0)
                formatter.timeZone = TimeZone(secondsFromGMT: offset)
                let text = formatter.string(from: date)
                // Foundation writes 10000 for times behind the last ones in other zones.
                guard text.prefix(while: { $0 != "-" }).count == 4, !text.hasPrefix("1969") else {
                    continue
                }
                #expect(
                    TimeParameter(text)?.time == UnixTime(second: second), "\(text)")
            }
        }
    }

    @Test(
        "all forms of a time",
        arguments: [
            ("1732449600000", 1_732_449_600_000), ("0", 0),
            ("2024-11-24T12:00:00Z", 1_732_449_600_000),
            ("2024-11-24t12:00z", 1_732_449_600_000),
            ("2024-11-24 13:00:00+01", 1_732_449_600_000),
            ("2024-11-24T13:00:00+0100", 1_732_449_600_000),
            // A plus sign that is not encoded.
            ("2024-11-24T13:00:00 01:00", 1_732_449_600_000),
            ("2024-11-24T06:30:00-05:30", 1_732_449_600_000),
            ("2024-11-24T12:00:00.25Z", 1_732_449_600_250),
            ("2024-11-24T12:00:00,123456789Z", 1_732_449_600_123),
            ("2024-02-29T00:00Z", 1_709_164_800_000),
        ])
    func forms(text: String, expected: Int64) {
        #expect(TimeParameter(text)?.time.milliseconds == expected)
    }

    @Test("a date is the beginning of the site's day")
    func date() {
        let day = LocalDay(containing: UnixTime(milliseconds: QueueServer.noon))
        #expect(TimeParameter(day.name)?.time == day.span.lowerBound)
        #expect(TimeParameter("2024-02-29") != nil)
    }

    @Test(
        "any other text is one clear problem",
        arguments: [
            "", "x", "-1", "1e3", "253402300800000", "2024-11-24T12:00:00", "2024-11-24T12Z",
            "2024-02-30", "2023-02-29T00:00Z", "2024-13-01", "2024-11-24T24:00Z",
            "2024-11-24T12:60Z", "2024-11-24T12:00:00Zulu", "2024-11-24T12:00:00.Z",
            "1969-12-31", "2024-11-24T12:00:00+25:00", "２０２４-11-24",
        ])
    func faults(text: String) throws {
        let files = try QueueServer()
        let store = files.store()
        defer { store.close() }
        let state = ServerState(session: .begin(), sites: [try files.site(store)], store: store)
        let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try state.answer("/api/v1/sites/s/queues/q/history?from=\(encoded)")
        #expect(answer.status == .badRequest)
        let problem = try JSON(parsing: answer.bytes ?? [], maxBytes: 10_000)
        let sentence =
            "from must be milliseconds since 1970, a time with its zone, such as 2026-11-28T09:00:00Z,"
            + " or a date, such as 2026-11-28, not \(text.quotedForPeople)."
        #expect(problem["detail"] == .string(sentence))
    }

    @Test(
        "the header Accept chooses the table, and the query's format overrides it",
        arguments: [
            (nil, "", "application/json"), ("*/*", "", "application/json"),
            ("text/csv", "", "text/csv; charset=utf-8"),
            ("TEXT/CSV; header=present", "", "text/csv; charset=utf-8"),
            ("text/csv, application/json;q=0.5", "", "text/csv; charset=utf-8"),
            ("text/csv, */*; q=0.1", "", "text/csv; charset=utf-8"),
            ("text/*, application/*;q=0.9", "", "text/csv; charset=utf-8"),
            ("application/json, text/csv", "", "application/json"),
            ("text/csv;q=0", "", "application/json"), ("text/html", "", "application/json"),
            ("text/csv;q=nan, */*;q=0", "", "text/csv; charset=utf-8"),
            ("text/csv;q=x;q=2, ,", "", "text/csv; charset=utf-8"),
            ("text/csv", "&format=json", "application/json"),
            ("application/json", "&format=csv", "text/csv; charset=utf-8"),
        ] as [(String?, String, String)])
    func accept(header: String?, query: String, expected: String) throws {
        let files = try QueueServer()
        let store = files.store()
        defer { store.close() }
        let state = ServerState(session: .begin(), sites: [try files.site(store)], store: store)
        for endpoint in Endpoint.all where endpoint.query.contains(where: { $0.name == "format" }) {
            let path = endpoint.path.replacing("{site}", with: "s").replacing("{queue}", with: "q")
            let answer = try state.answer(
                "\(path)?step=hour\(query)", headers: header.map { ["accept": $0] } ?? [:])
            #expect(answer.headers["content-type"] == expected)
            #expect(answer.headers["vary"] == "accept")
        }
    }

    @Test("the parameters of the description have examples that the server takes")
    func examples() throws {
        for endpoint in Endpoint.all {
            let operation = OpenAPI.document["paths"]?[endpoint.path]?[
                endpoint.method.rawValue.lowercased()]
            guard case .array(let parameters)? = operation?["parameters"] else {
                throw TestFailure("no parameters of \(endpoint.path)")
            }
            for parameter in parameters {
                switch parameter["name"] {
                case "site", "queue":
                    guard case .string(let name)? = parameter["example"] else {
                        throw TestFailure("no example of \(parameter)")
                    }
                    #expect(!name.isEmpty)
                case "from", "to":
                    guard case .string(let text)? = parameter["example"] else {
                        throw TestFailure("no example of \(parameter)")
                    }
                    #expect(TimeParameter(text) != nil)
                    #expect(parameter["schema"]?["oneOf"] == nil)
                default: break
                }
            }
        }
    }
}
