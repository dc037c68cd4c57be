import Contract
import MessageSamples
import Sightings
import Testing

@testable import Watch

@Suite("watch table")
struct TableRendererTests {
    private static let heading = TableRenderer.Heading(
        broker: "mqtt://localhost:1883", connectionError: nil, unreadable: 0)

    private static func renderer(
        _ width: Int = 100, _ height: Int = 24, colours: Bool = false, unicode: Bool = true
    ) -> TableRenderer {
        TableRenderer(
            screen: .init(width: width, height: height, colours: colours, unicode: unicode))
    }

    /// Two gateways: one with three beacons, one deaf.
    private static var model: WatchModel {
        var model = WatchModel()
        model.hear(Samples.status(.online))
        model.hear(Samples.status(.online, clock: .unsynced), of: Samples.till)
        model.hear(
            Samples.batch(
                0,
                [
                    Samples.sighting(7, mean: -64.2, max: -58),
                    Samples.sighting(8, mean: -85, max: -81, count: 3, senders: 2),
                    Samples.sighting(9, max: nil, isEcho: true),
                ]))
        model.hear(
            Samples.batch(4, clock: .unsynced, reports: 0, state: .deaf), of: Samples.till)
        return model
    }

    @Test("the table fits a wide terminal")
    func wide() {
        let lines = Self.renderer().lines(Self.model, Self.heading, at: Samples.at(1.5))
        #expect(
            lines == [
                "sightline  mqtt://localhost:1883  2 gateways, 3 beacons",
                "",
                "GATEWAY            STATE    CLOCK     REPORTS/S  BEACONS/S  SEEN    LAST",
                "store-042/entry-1  online   synced          412         23     3   0.5 s",
                "store-042/till-1   DEAF     unsynced          –          –     –   0.5 s",
                "  its radio has received nothing for 0.5 s",
                "",
                "UUID e2c56db5-dffb-48d2-b060-d0f5a71096e0",
                "GATEWAY            MAJOR  MINOR      /S   MEAN  MAX  -100      dBm        -40      AGE  SENDERS",
                "store-042/entry-1     42      7    10.0  -64.2  -58  ██████████████░░░           0.5 s        1",
                "                      42      8     3.0  -85.0  -81  ██████░░                    0.5 s        2",
                "                      42      9    10.0      –    –                              0.5 s   echo 1",
            ])
    }

    @Test("the table fits a narrow terminal in ASCII")
    func narrow() {
        let lines = Self.renderer(72, unicode: false)
            .lines(Self.model, Self.heading, at: Samples.at(1.5))
        #expect(
            lines.suffix(4) == [
                "GATEWAY            MAJOR  MINOR      /S   MEAN  MAX  -100   -40      AGE",
                "store-042/entry-1     42      7    10.0  -64.2  -58  ######-       0.5 s",
                "                      42      8     3.0  -85.0  -81  ###           0.5 s",
                "                      42      9    10.0      -    -                0.5 s",
            ])
        #expect(lines.allSatisfy { $0.allSatisfy(\.isASCII) })
    }

    @Test("a column is complete or absent", arguments: 31...130)
    func wholeColumns(width: Int) {
        let words = Set(
            ["GATEWAY", "STATE", "CLOCK", "REPORTS/S", "BEACONS/S", "SEEN", "LAST"]
                + ["MAJOR", "MINOR", "/S", "MEAN", "MAX", "-100", "dBm", "-40", "AGE", "SENDERS"])
        let lines = Self.renderer(width).lines(Self.model, Self.heading, at: Samples.at(1.5))
        for line in lines where line.hasPrefix("GATEWAY") {
            #expect(words.isSuperset(of: line.split(separator: " ").map(String.init)))
        }
        // The senders go first, then the age, then the bar.
        let row = lines.last { $0.hasPrefix("GATEWAY") } ?? ""
        #expect(!row.contains("SENDERS") || row.contains("AGE"))
        #expect(!row.contains("AGE") || row.contains("-40"))
        #expect(!row.contains("-40") || row.contains("MEAN  MAX"))
    }

    @Test("a beacon at two gateways counts as one")
    func distinctBeacons() {
        var model = Self.model
        model.hear(Samples.batch(5, second: 1, [Samples.sighting(7)]), of: Samples.till)
        let lines = Self.renderer().lines(model, Self.heading, at: Samples.at(2))
        #expect(lines.first?.hasSuffix("2 gateways, 3 beacons") == true)
    }

    @Test("no line is wider than the screen, and the last line is free", arguments: 1...40)
    func anySize(step: Int) {
        var model = Self.model
        model.hear(Samples.batch(1, second: 1, (0..<30).map { Samples.sighting(UInt16($0)) }))
        for unicode in [true, false] {
            let lines = Self.renderer(step * 3, step, unicode: unicode)
                .lines(model, Self.heading, at: Samples.at(2))
            #expect(lines.allSatisfy { $0.count <= step * 3 })
            #expect(lines.count <= max(1, step - 1))
        }
    }

    @Test("each gateway shows its strongest rows and the number of hidden rows")
    func cut() {
        var model = WatchModel()
        model.hear(Samples.batch(0, (1...30).map { Samples.sighting($0, max: -50 - Int8($0)) }))
        model.hear(Samples.batch(0, [Samples.sighting(1)]), of: Samples.till)
        let lines = Self.renderer(100, 14).lines(model, Self.heading, at: Samples.at(1))
        #expect(lines.count == 13)
        #expect(lines.filter { $0.hasPrefix("store-042/till-1") }.count == 2)
        #expect(lines.contains("                   … and 27 more"))
    }

    @Test(
        "every gateway gets its share of the lines",
        arguments: [
            (10, [3, 4], [3, 4]), (10, [30, 1], [8, 1]), (10, [30, 30], [4, 4]),
            (3, [5, 5, 5], [1, 0, 0]), (0, [5], [0]), (5, [], []),
        ])
    func share(room: Int, sizes: [Int], limits: [Int]) {
        #expect(TableRenderer.share(room, among: sizes) == limits)
    }

    @Test("several UUIDs get a column with the digits that distinguish them")
    func severalUUIDs() throws {
        var model = WatchModel()
        model.hear(
            Samples.batch(
                0,
                [
                    Samples.sighting(1),
                    Samples.sighting(2, uuid: "e2c56db5-dffb-48d2-b060-d0f5a71096e1"),
                    Samples.sighting(3, uuid: "8deefbb9-f738-4297-8040-96668bb44281"),
                ]))
        let lines = Self.renderer(120).lines(model, Self.heading, at: Samples.at(1))
        #expect(lines.contains { $0.contains("  e2c56db5-dffb-48d2-b060-d0f5a71096e1  ") })
        model = WatchModel()
        model.hear(
            Samples.batch(
                0,
                [
                    Samples.sighting(1),
                    Samples.sighting(3, uuid: "8deefbb9-f738-4297-8040-96668bb44281"),
                ]))
        let short = Self.renderer().lines(model, Self.heading, at: Samples.at(1))
        #expect(short.contains { $0.contains("  8deefbb9…  ") })
    }

    @Test("a gateway's line shows its problems")
    func notes() {
        var model = WatchModel()
        let lost = Loss(
            batches: 3, fromSeq: 5, toSeq: 7, reason: Loss.Reason(rawValue: "outbox-full\u{1b}[2J"))
        model.hear(Samples.batch(4))
        model.hear(Samples.batch(10, second: 6, dropped: 1, lost: lost))
        let lines = Self.renderer(160).lines(model, Self.heading, at: Samples.at(30))
        #expect(
            lines.last
                == "store-042/entry-1  unknown  synced          412          0     0    23 s"
                + "  silent  lost 3 messages (outbox-full?[2J)  missed 2 messages  dropped 1 packet"
        )
    }

    @Test("a late message is behind if the gateway's clock is synced")
    func late() throws {
        for (clock, isSaid) in [(ClockState.synced, true), (.unsynced, false)] {
            var model = WatchModel()
            _ = model.on(
                Samples.batch(0, clock: clock), of: Samples.entry, at: Samples.at(1),
                wallMs: Samples.wall(12))
            let lines = Self.renderer(160).lines(model, Self.heading, at: Samples.at(1))
            #expect(lines.last?.contains("12 s behind") == isSaid)
        }
    }

    @Test("the table shows a missing gateway and a lost connection")
    func empty() {
        #expect(
            Self.renderer().lines(WatchModel(), Self.heading, at: Samples.at(1)) == [
                "sightline  mqtt://localhost:1883  0 gateways, 0 beacons", "",
                "waiting for gateways …",
            ])
        let heading = TableRenderer.Heading(
            broker: "mqtt://localhost:1883", connectionError: "the broker is gone; retrying",
            unreadable: 2)
        #expect(
            Self.renderer().lines(WatchModel(), heading, at: Samples.at(1)) == [
                "sightline  mqtt://localhost:1883  0 gateways, 0 beacons  2 messages invalid",
                "the broker is gone; retrying", "",
            ])
    }

    @Test("colours mark problems and old beacons")
    func colours() {
        let lines = Self.renderer(colours: true).lines(Self.model, Self.heading, at: Samples.at(5))
        #expect(lines.contains { $0.contains("\u{1b}[1;31mDEAF   \u{1b}[0m") })
        #expect(lines.contains { $0.contains("\u{1b}[2mstore-042/entry-1\u{1b}[0m") })
    }
}
