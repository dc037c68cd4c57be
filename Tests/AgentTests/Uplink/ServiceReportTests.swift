import Posix
import Primitives
import Testing

@testable import Agent

@Suite struct ServiceReportTests {
    private static let begin = Instant(microseconds: 1_000_000_000)
    private static let line = StatusLine(
        radio: .opening, broker: .waiting(for: "broker:8883", of: 1), waiting: 0)
    private static let both = ServiceReport.Attempts(radio: true, broker: true)

    private static func after(seconds: Int64) -> Instant {
        begin.advanced(byMicroseconds: seconds * 1_000_000)
    }

    private static let unready: [ServiceReport.Attempts] = [
        .init(), .init(radio: true), .init(broker: true),
    ]

    @Test("ready is reported once, after an attempt on the radio and one on the broker")
    func ready() {
        var report = ServiceReport(at: Self.begin)
        for attempts in Self.unready {
            let news = report.messages(Self.line, after: attempts, at: Self.begin)
            #expect(!news.contains(.ready))
        }
        let first = report.messages(Self.line, after: Self.both, at: Self.begin)
        #expect(first == [.ready])
        let second = report.messages(Self.line, after: Self.both, at: Self.begin)
        #expect(second == [])
    }

    @Test("ready is reported after 30 s, even during an attempt")
    func patience() {
        var report = ServiceReport(at: Self.begin)
        _ = report.messages(Self.line, after: .init(), at: Self.begin)
        let early = report.messages(Self.line, after: .init(), at: Self.after(seconds: 29))
        #expect(early == [])
        let late = report.messages(Self.line, after: .init(), at: Self.after(seconds: 30))
        #expect(late == [.ready])
        let later = report.messages(Self.line, after: Self.both, at: Self.after(seconds: 31))
        #expect(later == [])
    }

    @Test("the status line follows a changed state immediately, and changed numbers every 5 s")
    func status() {
        var report = ServiceReport(at: Self.begin)
        var line = Self.line
        let first = report.messages(line, after: .init(), at: Self.begin)
        #expect(first == [.status(line.description)])
        line.waiting = 7
        let soon = report.messages(line, after: .init(), at: Self.after(seconds: 4))
        #expect(soon == [])
        let later = report.messages(line, after: .init(), at: Self.after(seconds: 5))
        #expect(
            later == [.status("opening the radio; waiting for broker:8883; 7 batches wait")])
        line.radio = .hearing
        let change = report.messages(line, after: .init(), at: Self.after(seconds: 6))
        #expect(change == [.status("hearing; waiting for broker:8883; 7 batches wait")])
    }

    private static let lines: [(line: StatusLine, text: String)] = [
        (
            StatusLine(radio: .hearing, broker: .connected("broker:8883"), waiting: 0),
            "hearing; connected to broker:8883"
        ),
        (
            StatusLine(
                radio: .deaf("hci0: there is no adapter hci0"),
                broker: .waiting(for: "broker:8883", of: 3), waiting: 1, isDurable: false),
            "deaf (hci0: there is no adapter hci0); waiting for any of 3 brokers; "
                + "1 batch waits, in memory only"
        ),
        (
            StatusLine(radio: .deaf(nil), broker: .connected("[::1]:1883"), waiting: 20),
            "deaf; connected to [::1]:1883; 20 batches wait"
        ),
    ]

    @Test(
        "the status line has the radio, the broker and the unsent batches", arguments: lines.indices
    )
    func text(index: Int) { #expect(Self.lines[index].line.description == Self.lines[index].text) }
}
