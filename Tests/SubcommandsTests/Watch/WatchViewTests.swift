import MessageSamples
import Posix
import Terminal
import Testing

@testable import Subcommands

@Suite("keys of the watch")
struct WatchViewTests {
    private struct Operator {
        var view = WatchView()
        let fleet: WatchedFleet
        var size = Terminal.Size(columns: 80, rows: 24)

        init() {
            var fleet = WatchedFleet(beacons: 60, seed: 7)
            for _ in 0..<3 { fleet.tick() }
            self.fleet = fleet
        }

        @discardableResult
        mutating func type(_ keys: Key...) -> WatchView.Action {
            keys.map { view.on($0, page) }.last ?? .redraw
        }

        mutating func type(_ text: String) { text.forEach { type(.character($0)) } }

        var page: WatchPage { WatchPage(fleet.model, view, size: size, notes: 0, at: fleet.now) }
        var lines: [String] { fleet.lines(size.columns, size.rows, view: view) }
        var selected: String? { lines.first { $0.hasPrefix("> ") } }
    }

    @Test("arrows and pages move the selection, and the list follows")
    func movement() {
        var user = Operator()
        #expect(user.selected?.contains("\(WatchedFleet.offline[0])") == true)
        user.type(.down)
        #expect(user.selected?.contains("\(WatchedFleet.offline[1])") == true)
        user.type(.end)
        // The last by name among those without problems.
        #expect(user.selected?.contains("\(WatchedFleet.gateways[198])") == true)
        user.type(.pageUp)
        #expect(user.selected?.contains("\(WatchedFleet.gateways[198])") == false)
        user.type(.home)
        #expect(user.selected?.contains("\(WatchedFleet.offline[0])") == true)
        user.type(.up)
        #expect(user.selected?.contains("\(WatchedFleet.offline[0])") == true)
    }

    @Test("Tab changes the list; s changes its order")
    func lists() {
        var user = Operator()
        user.type(.character("s"))
        #expect(user.page.gateways == WatchedFleet.gateways)
        user.type(.tab, .down)
        #expect(user.selected?.contains("   42      1  ") == true)
        user.type(.character("s"))
        #expect(user.lines.contains { $0.contains("BEACONS") && $0.contains("by identity") })
        user.type(.character("s"))
        #expect(user.lines.contains { $0.contains("by strength") })
        let strengths = user.page.beacons.compactMap {
            user.fleet.model.beacons[$0]?.strongest(at: user.fleet.now)?.hearing.level
        }
        // In steps of 6 dB.
        #expect(zip(strengths, strengths.dropFirst()).allSatisfy { $0 >= $1 - 6 })
    }

    @Test("/ filters the list while one types; Enter keeps the filter, Esc removes it")
    func filter() {
        var user = Operator()
        user.type(.character("/"))
        user.type("DEAFx")
        user.type(.backspace)
        #expect(user.page.gateways == [WatchedFleet.deaf])
        #expect(user.lines.last?.hasPrefix("filter gateways: /DEAF_") == true)
        user.type(.enter)
        #expect(user.page.gateways == [WatchedFleet.deaf])
        user.type(.escape)
        #expect(user.page.gateways.count == 200)
        user.type(.tab, .character("/"))
        // A gateway that hears the beacon, and an identity.
        user.type("store-101/gateway-2")
        #expect(user.page.beacons.map(\.minor) == [5])
        user.type(.escape)
        user.type("/")
        user.type("/42/18")
        #expect(user.page.beacons.map(\.minor) == [18])
        // q is a letter here.
        user.type("q")
        #expect(user.page.beacons.isEmpty)
    }

    @Test("Enter opens a beacon with a sparkline for each gateway that hears it; Esc goes back")
    func beacon() {
        var user = Operator()
        user.type(.tab, .enter)
        let lines = user.lines
        #expect(lines.contains { $0.contains("beacon  UUID \(Samples.uuid)  major 42  minor 0") })
        let row = lines.first { $0.contains("\(WatchedFleet.gateways[0])") }
        let blocks = row?.filter { "▁▂▃▄▅▆▇█".contains($0) }.count ?? 0
        #expect((1...3).contains(blocks))
        user.type(.escape)
        #expect(user.lines.contains { $0.hasPrefix("GATEWAYS") })
    }

    @Test("Enter opens a gateway with its problem, its configuration and its beacons")
    func gateway() {
        var user = Operator()
        user.type(.down, .down, .down, .down, .enter)
        #expect(
            user.lines.dropFirst(2).prefix(2) == [
                "gateway \(WatchedFleet.refused)  refused",
                "gateway 7: /advertise: the controller answered 0x12",
            ])
        #expect(user.lines.contains("configuration  fleet 3; refused"))
        user.type(.left, .home, .character("/"))
        user.type("store-100/gateway-2")
        user.type(.enter, .enter)
        #expect(
            user.lines.contains { $0.hasPrefix("reports of 5 minutes  ") && $0.hasSuffix("█") })
        #expect(user.lines.contains { $0.contains("     42      1  ") })
    }

    @Test("p pauses, ? helps, q quits")
    func others() {
        var user = Operator()
        #expect(user.type(.character("p")) == .pause)
        #expect(user.type(.character("?")) == .redraw)
        #expect(user.lines.contains { $0.hasPrefix("Tab ") })
        user.type(.escape)
        #expect(!user.lines.contains { $0.hasPrefix("Tab ") })
        #expect(user.type(.character("q")) == .quit)
    }

    @Test("keys do nothing harmful without gateways and on a tiny screen")
    func empty() {
        let keys: [Key] = [
            .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .tab, .escape,
            .backspace, .refresh, .character("s"), .character("?"), .character("p"),
        ]
        for size in [Terminal.Size(columns: 1, rows: 1), Terminal.Size(columns: 80, rows: 24)] {
            var view = WatchView()
            for key in keys + keys {
                let page = WatchPage(WatchModel(), view, size: size, notes: 0, at: Samples.at(1))
                _ = view.on(key, page)
                let lines = WatchRenderer(size: size, colours: true, unicode: true)
                    .lines(WatchModel(), view, .init(broker: "b"), at: Samples.at(1))
                #expect(lines.count == size.rows)
            }
        }
    }
}
