import Facts
import JSON
import Results
import Testing

@testable import Queueing

@Suite("the first values of a minute")
struct RestatementMarkTests {
    /// A minute in which one tag is in line at the end, and two visitors were served.
    private static func minute(known: Duration) -> QueuePeriod {
        let visit = Visit(
            queue: "q", tag: Tag(rawValue: 1), entered: EdgeDate(30), left: EdgeDate(90),
            end: .served, logOdds: 30)
        var missing = GatewayTime(gateway: "till-2")
        missing.add(GatewaySecond(), count: 42)
        return QueuePeriod(
            queue: "q", seconds: 0..<60, known: known, unseen: .zero, isDoubtful: false,
            gateways: [missing],
            line: LineStatistics(
                sums: LineSums(
                    personSeconds: 30, seconds: 60, longest: 1, joined: 1, served: 2, abandoned: 1),
                atEnd: TagsInLine([visit], recall: 0.95), waits: WaitStatistics([.seconds(180)])),
            forecast: nil, scores: ForecastScores(), overTarget: nil, coverage: nil,
            littleResidual: .zero)
    }

    @Test("a known minute keeps its numbers and the gateways that were missing")
    func known() {
        let minute = MinuteResult(
            site: "s", period: Self.minute(known: .seconds(60)), rev: 1, isFinal: false)
        #expect(
            minute.mark.text
                == #"{"rev":1,"people":1.0,"waitMs":null,"served":2,"abandoned":1,"medianMs":180000,"#
                + #""reasons":[{"gateway":"till-2","state":"unknown","ms":42000}]}"#)
    }

    @Test("an unknown minute has no number")
    func unknown() {
        let minute = MinuteResult(
            site: "s", period: Self.minute(known: .zero), rev: 3, isFinal: false)
        #expect(
            minute.mark.text
                == #"{"rev":3,"people":null,"waitMs":null,"served":null,"abandoned":null,"medianMs":null,"#
                + #""reasons":[{"gateway":"till-2","state":"unknown","ms":42000}]}"#)
    }

    @Test("the values of a mark are those of the minute's document")
    func same() {
        for known in [Duration.zero, .seconds(60)] {
            let minute = MinuteResult(
                site: "s", period: Self.minute(known: known), rev: 2, isFinal: true)
            let (mark, document) = (minute.mark, minute.json)
            for key in ["rev", "served", "abandoned", "reasons"] {
                #expect(mark[key] == document[key], "\(key)")
            }
            #expect(mark["people"] == document["length"]?["people"] ?? .null)
            #expect(mark["waitMs"] == document["forecast"]?["waitMs"] ?? .null)
            #expect(mark["medianMs"] == document["waits"]?["medianMs"] ?? .null)
        }
    }
}
