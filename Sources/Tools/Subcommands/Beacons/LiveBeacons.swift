import Inventory
import JSON
import Posix
import Primitives
import Results
import Terminal

/// The registered beacons of servers, for a terminal.
enum LiveBeacons {
    /// - Parameter showsWork: the work list instead of all states.
    static func content(showsWork: Bool) -> LiveResults.Content {
        .init(
            state: BeaconResult.kind, event: BeaconEventResult.kind, key: "beacons.registry",
            sentence: sentence,
            arranged: { states in
                // What is to be done first comes first; the others have the order of their names.
                states.enumerated().filter { !showsWork || days($0.element).isFinite }.sorted {
                    (days($0.element), $0.offset) < (days($1.element), $1.offset)
                }.map(\.element)
            }
        ) { states in
            let isMissing = states.contains { $0.document["state"] == "missing" }
            return (
                showsWork ? work(states) : table(states), isMissing ? .partlyDone : .done
            )
        }
    }

    /// Infinite without work.
    private static func days(_ state: LiveResults.State) -> Double {
        BeaconWork.withinDays(state.document)
    }

    private static func work(_ states: [LiveResults.State]) -> [String] {
        guard !states.isEmpty else { return ["no beacon needs anything"] }
        var table = TextTable([.right("DAYS"), .left("SITE"), .left("BEACON"), .left("WORK")])
        table.rows = states.map { state in
            [
                "\(Int(max(0, min(days(state), 1e6))))", state.site, state.item,
                LiveResults.text(state.document["work"]?["sentence"]) ?? "",
            ]
        }
        return table.lines
    }

    private static func table(_ states: [LiveResults.State]) -> [String] {
        let kind = BeaconResult.kind
        let table = kind.terminalTable(
            ["SITE", "BEACON"],
            rows: states.map { state in
                // A beacon may be silent for days.
                [state.site, state.item]
                    + kind.terminalCells(of: state.document) {
                        LocalDay.clockTime(of: $0, at: .now)
                    }
            })
        let counts = BeaconState.allCases.compactMap { word in
            let number = states.count { $0.document["state"] == .string(word.rawValue) }
            return number == 0 ? nil : "\(number.grouped) \(word.rawValue)"
        }
        return table.lines + [count(states.count, "beacon") + ": " + counts.joined(separator: ", ")]
    }

    /// `14:03:07  store-042  missing  UUID/MAJOR/MINOR  shelf-17 is missing: no report for 15 min 0 s.`
    private static func sentence(_ event: JSON) -> String {
        let time = LiveResults.time(event["decidedAt"]).map { LocalDay.clockTime(of: $0) } ?? ""
        let words = ["site", "event", "beacon", "sentence"].compactMap {
            LiveResults.text(event[$0])
        }
        return ([time] + words).joined(separator: "  ")
    }
}
