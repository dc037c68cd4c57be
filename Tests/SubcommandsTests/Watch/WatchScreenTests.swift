import MessageSamples
import Posix
import Terminal
import Testing

@testable import Subcommands

@Suite("what surrounds the lists of the watch")
struct WatchScreenTests {
    /// The hints of packaging/demo.
    private static let hints = [
        "page: http://127.0.0.1:8480/ (both queues are known after a minute)",
        "in another terminal here: export SIGHTLINE_BROKER=mqtt://127.0.0.1:31999",
        "  .build/release/sightline tune report.windowMs=500    # shorter windows",
        "  kill -KILL 4194303    # the gateway till-2: its queue becomes unknown",
        "  mosquitto_sub -p 31999 -t 'sightline/#' -v    # all messages",
    ]

    private static func lines(_ columns: Int, _ rows: Int, _ keys: [Key] = []) -> [String] {
        var screen = WatchScreen(broker: "b", notes: hints, colours: false, unicode: true)
        screen.resize(to: Terminal.Size(columns: columns, rows: rows))
        var fleet = WatchedFleet(beacons: 1000, seed: 3)
        for _ in 0..<3 { fleet.tick() }
        for key in keys { _ = screen.on(key, fleet.model, at: fleet.now) }
        return screen.lines(fleet.model, unreadable: 0, at: fleet.now)
    }

    @Test("all notes stay as they are at 80 by 24, also above details and help")
    func notes() {
        for keys in [[], [.enter], [.character("?")]] as [[Key]] {
            let lines = Self.lines(80, 24, keys)
            #expect(lines.count == 24 && Array(lines[2..<7]) == Self.hints)
        }
    }

    @Test("on a narrow terminal, notes are broken, and each command keeps its indentation")
    func narrow() {
        let lines = Self.lines(60, 40)
        #expect(lines.contains("  .build/release/sightline tune report.windowMs=500 #"))
        #expect(lines.contains("    shorter windows"))
        #expect(lines.allSatisfy { $0.count <= 60 })
    }
}
