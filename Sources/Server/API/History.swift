import HTTP
import JSON
import Primitives
import Queueing
import Results

/// The answer to a question about the past of a queue.
struct History {
    let site: String
    let queue: String
    let step: String
    let span: Range<UnixTime>

    /// Some periods at the beginning of a time, and the rest of the time; `nil` where there are no more.
    typealias Source = (Range<UnixTime>) throws(Problem) -> (
        periods: [JSON], rest: Range<UnixTime>?
    )

    /// JSON with all periods, part by part. The call after the last part returns `nil`.
    func json(_ source: @escaping Source) -> () throws(Problem) -> [UInt8]? {
        let head: JSON = [
            "site": .string(site), "queue": .string(queue), "step": .string(step),
            "from": .integer(span.lowerBound.milliseconds),
            "to": .integer(span.upperBound.milliseconds),
        ]
        // The list follows in the place of the closing brace.
        var text = String(head.text.dropLast()) + ",\"periods\":["
        var separator = ""
        return parts(of: source) { periods in
            for period in periods {
                text += separator + period.text
                separator = ","
            }
            defer { text = "" }
            return text
        } end: {
            "]}"
        }
    }

    /// A table (RFC 4180), part by part. A value that is not known is empty.
    func csv(_ source: @escaping Source) -> () throws(Problem) -> [UInt8]? {
        let kind = step == "minute" ? MinuteResult.stored : PeriodResult.kind
        let columns = kind.historyFields
        var head = [columns.map(\.title)]
        return parts(of: source) { periods in
            let rows = head + periods.map { period in columns.map { $0.historyCell(period) } }
            head = []
            return rows.map { $0.joined(separator: ",") + "\r\n" }.joined()
        } end: {
            ""
        }
    }

    private func parts(
        of source: @escaping Source, _ text: @escaping ([JSON]) -> String,
        end: @escaping () -> String
    ) -> () throws(Problem) -> [UInt8]? {
        var rest: Range<UnixTime>? = span
        return { () throws(Problem) in
            guard let span = rest else { return nil }
            let found = try source(span)
            rest = found.rest
            return Array((text(found.periods) + (rest == nil ? end() : "")).utf8)
        }
    }
}
