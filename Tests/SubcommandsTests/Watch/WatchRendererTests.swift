import Contract
import MessageSamples
import Posix
import Sightings
import Terminal
import Testing

@testable import Subcommands

@Suite("watch screen")
struct WatchRendererTests {
    private static let heading = WatchRenderer.Heading(broker: "mqtt://localhost:1883")

    private static func lines(
        _ model: WatchModel, _ columns: Int = 100, _ rows: Int = 24, at second: Double,
        colours: Bool = false, unicode: Bool = true, heading: WatchRenderer.Heading = heading
    ) -> [String] {
        WatchRenderer(
            size: Terminal.Size(columns: columns, rows: rows), colours: colours, unicode: unicode
        ).lines(model, WatchView(), heading, at: Samples.at(second))
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

    @Test("the screen of a small site")
    func small() {
        let lines = Self.lines(Self.model, 100, 16, at: 1.5)
        #expect(
            lines == [
                "sightline  2 gateways: 1 deaf  3 beacons  mqtt://localhost:1883",
                "",
                "GATEWAYS  1–2 of 2, by problems",
                "  GATEWAY            STATE       LAST  REPORTS/S  BEACONS/S   SEEN   WINDOW  CLOCK     LAST 60 S",
                "> store-042/till-1   deaf      no report for 0.5 s",
                "  store-042/entry-1  online     0.5 s        412         23      3      1 s  synced               █",
                "BEACONS  1–3 of 3, by appearance  e2c56db5-dffb-48d2-b060-d0f5a71096e0",
                "  MAJOR  MINOR  GATEWAY            GWS     /S   MEAN   MAX  -100  -40     AGE  SENDERS  LAST 60 S",
                "     42      7  store-042/entry-1    1   10.0  -64.2   -58  █████░      0.5 s        1             ▆",
                "     42      8  store-042/entry-1    1    3.0  -85.0   -81  ██░         0.5 s        2             ▃",
                "     42      9  store-042/entry-1    1   10.0      –     –              0.5 s   echo 1",
                "", "", "", "",
                "q quit  ? help  Up/Down  Enter details  Tab list  / filter  s sort  p pause",
            ])
    }

    @Test("a column is complete or absent", arguments: 31...220)
    func wholeColumns(width: Int) {
        let words = Set(
            ["GATEWAY", "STATE", "CLOCK", "REPORTS/S", "BEACONS/S", "SEEN", "LAST", "WINDOW", "60"]
                + ["S", "MAJOR", "MINOR", "GWS", "/S", "MEAN", "MAX", "-100", "dBm", "-40", "AGE"]
                + ["SENDERS"])
        let lines = Self.lines(Self.model, width, at: 1.5)
        for line in [lines[3], lines[7]] {
            #expect(words.isSuperset(of: line.split(separator: " ").map(String.init)))
        }
    }

    @Test("no line is wider than the screen, and the screen is full", arguments: 1...40)
    func anySize(step: Int) {
        var model = Self.model
        model.hear(Samples.batch(1, second: 1, (0..<30).map { Samples.sighting(UInt16($0)) }))
        for unicode in [true, false] {
            let lines = Self.lines(model, step * 3, step, at: 2, unicode: unicode)
            #expect(lines.allSatisfy { $0.count <= step * 3 })
            #expect(lines.count == step)
            #expect(unicode || lines.allSatisfy { $0.allSatisfy(\.isASCII) })
        }
    }

    @Test("problems come first, named and with their reasons", arguments: [(80, 24), (200, 50)])
    func problems(columns: Int, rows: Int) {
        var fleet = WatchedFleet(beacons: 1000, seed: 1)
        for _ in 0..<3 { fleet.tick() }
        let lines = fleet.lines(columns, rows)
        // Each gateway hears five; those of four gateways are not heard.
        #expect(lines[0].contains("200 gateways: 3 offline, 1 deaf, 1 refused  980 beacons"))
        let rowsOfProblems = lines[4..<9]
        let reasons = [
            "not connected for ", "not connected for ", "not connected for ", "no report for",
            "gateway 7: /advertise: the controller answered",
        ]
        for (row, (name, reason)) in zip(rowsOfProblems, zip(WatchedFleet.problems, reasons)) {
            #expect(row.contains(" \(name) "))
            #expect(row.contains(reason))
        }
        #expect(lines.allSatisfy { $0.count <= columns })
        #expect(lines.count == rows)
    }

    @Test("a slow link, which makes all gateways late, moves no row")
    func allLate() {
        func rows(_ delay: Int64) -> [String: Int] {
            var model = WatchModel()
            for name in WatchedFleet.gateways {
                model.hear(Samples.status(.online), of: name)
                _ = model.on(
                    Samples.batch(0, [Samples.sighting(1), Samples.sighting(2)]), of: name,
                    at: Samples.at(1), wall: Samples.wall(delay))
            }
            return places(Self.lines(model, 80, 24, at: 1.5))
        }
        #expect(rows(0).count == 11 && rows(30) == rows(0))
    }

    @Test("all problems have a row, even if they need more than half of the screen")
    func manyProblems() {
        var model = WatchModel()
        for index in 0..<30 {
            let name = WatchedFleet.gateways[index]
            model.hear(Samples.status(index < 12 ? .offline : .online), of: name)
            model.hear(Samples.batch(0, [Samples.sighting(UInt16(index))]), of: Samples.entry)
        }
        let lines = Self.lines(model, 80, 24, at: 1)
        for name in WatchedFleet.gateways.prefix(12) {
            #expect(lines.contains { $0.contains("\(name)") && $0.contains("offline") })
        }
    }

    @Test(
        "rows keep their place while nothing new appears and beacons leave",
        arguments: [(80, 24), (200, 50)])
    func calm(columns: Int, rows: Int) {
        var fleet = WatchedFleet(beacons: 40, seed: 42)
        for _ in 0..<5 { fleet.tick() }
        var before = places(fleet.lines(columns, rows))
        var moved = 0
        for second in 0..<120 {
            // One beacon after another leaves and does not return, ten of forty.
            fleet.tick(absent: Set((0..<UInt16(min(10, second / 6))).map { $0 * 3 }))
            let after = places(fleet.lines(columns, rows))
            #expect(after.count >= 15)
            moved += after.count { before[$0.key] != $0.value }
            before = after
        }
        #expect(moved == 0)
    }

    /// The line of each gateway and beacon that the screen shows.
    private func places(_ lines: [String]) -> [String: Int] {
        var places: [String: Int] = [:]
        for (index, line) in lines.enumerated() {
            let words = line.split(separator: " ").filter { $0 != ">" }.map(String.init)
            guard let first = words.first else { continue }
            if first.hasPrefix("store-") { places[first] = index }
            if first == "42", words.count > 1 { places["beacon \(words[1])"] = index }
        }
        return places
    }

    @Test("several UUIDs get a column with the digits that distinguish them")
    func severalUUIDs() {
        let (first, near, other) = (
            Samples.uuid, "e2c56db5-dffb-48d2-b060-d0f5a71096e1",
            "8deefbb9-f738-4297-8040-96668bb44281"
        )
        var model = WatchModel()
        model.hear(
            Samples.batch(0, [Samples.sighting(1, uuid: first), Samples.sighting(2, uuid: other)]))
        #expect(Self.lines(model, 120, at: 1).contains { $0.contains("  8deefbb9…  ") })
        model.hear(Samples.batch(1, second: 1, [Samples.sighting(3, uuid: near)]))
        #expect(Self.lines(model, 120, at: 2).contains { $0.contains("  \(near)  ") })
    }

    @Test("a retune and the window's width are visible")
    func retune() {
        var model = Self.model
        func report(_ version: Int64, _ window: Int64, at second: Double) {
            let message = ReportedMessage(
                session: "a", versions: LayerVersions(fleet: version), status: .applied, errors: [],
                effective: .object([
                    .init("report", .object([.init("windowMs", .integer(window))]))
                ]), radio: .init(), isPersisted: true)
            _ = model.on(message, of: Samples.entry, at: Samples.at(second))
        }
        report(3, 1000, at: 1)
        #expect(Self.lines(model, at: 1.5).contains { $0.contains("  1 s  synced") })
        report(4, 500, at: 2)
        #expect(
            Self.lines(model, at: 2.5).contains {
                $0.contains("online    retuned: fleet 4; window 500 ms")
            })
        #expect(Self.lines(model, at: 12.5).contains { $0.contains("  500 ms  synced") })
    }

    @Test("a late message is behind if the gateway's clock is synced")
    func late() {
        for (clock, word) in [(ClockState.synced, "behind"), (.unsynced, "unsynced")] {
            var model = WatchModel()
            _ = model.on(
                Samples.batch(0, clock: clock), of: Samples.entry, at: Samples.at(1),
                wall: Samples.wall(12))
            let line = Self.lines(model, at: 1).first { $0.contains("entry-1") }
            #expect(line?.contains(word) == true)
            #expect(line?.contains("12 s late") == (word == "behind"))
        }
    }

    @Test("a loss is a problem for five minutes")
    func loss() {
        var model = WatchModel()
        let lost = Loss(
            batches: 3, fromSeq: 5, toSeq: 7, reason: Loss.Reason(rawValue: "outbox-full\u{1b}[2J"))
        model.hear(Samples.batch(4))
        model.hear(Samples.batch(10, second: 6, dropped: 1, lost: lost))
        #expect(
            Self.lines(model, 120, at: 8).contains {
                $0.contains(
                    "losing    lost 3 messages (outbox-full?[2J), missed 2 messages, dropped 1 packet"
                )
            })
        model.hear(Samples.batch(11, second: 310))
        #expect(Self.lines(model, at: 311).contains { $0.contains("online") })
    }

    @Test("a missing gateway, a lost connection, a note and a pause are visible")
    func heading() {
        #expect(Self.lines(WatchModel(), 80, 5, at: 1)[2] == "waiting for gateways")
        let heading = WatchRenderer.Heading(
            broker: "b", notes: ["try this"], connectionError: "the broker is gone; retrying",
            unreadable: 2, isPaused: true)
        let lines = Self.lines(Self.model, at: 1, heading: heading)
        #expect(lines[0].hasPrefix("sightline  PAUSED  2 gateways"))
        #expect(lines[0].contains("2 messages invalid"))
        #expect(lines[1] == "the broker is gone; retrying")
        #expect(lines[2] == "try this")
    }

    @Test("colours mark problems and old beacons; without colours there is no control sequence")
    func colours() {
        let coloured = Self.lines(Self.model, at: 5, colours: true)
        #expect(coloured.contains { $0.contains("1;31mdeaf") })
        #expect(coloured.contains { $0.contains("\u{1b}[2m   42\u{1b}[0m") })
        #expect(Self.lines(Self.model, at: 5).allSatisfy { !$0.contains("\u{1b}") })
    }
}
