import Contract
import Inventory
import JSON
import Posix
import Primitives
import Terminal

extension BeaconsCommand {
    /// Prints the changes: a table for the vendor's tool, and a command for each gateway.
    func plan(_ registry: Registry, to output: inout StandardOutput) -> ExitCode {
        let plan = RegistryPlan(registry, on: UTCTime(UnixTime.now).date)
        if invocation.has("json") {
            for change in plan.changes { output.write(change.json.text + "\n") }
        } else {
            output.write(plan.text(site: invocation["site"]))
        }
        for beacon in plan.withoutZone {
            StandardOutput.report("\(name):\(beacon.line): it has no zone, and keeps its numbers")
        }
        for beacon in plan.unplaced {
            StandardOutput.report("\(name):\(beacon.line): no number is left")
        }
        return plan.unplaced.isEmpty ? .done : .failed
    }
}

extension RegistryPlan {
    /// - Parameter site: that of the gateways; `nil` leaves it to the reader.
    fileprivate func text(site: String?) -> String {
        var zones = TextTable([.left("ZONE"), .right("MAJOR")])
        zones.rows = majors.map { [$0.zone.printable(), "\($0.major)"] }
        var table = TextTable([
            .left("BEACON"), .left("NAME"), .left("ZONE"), .right("NEW MAJOR"),
            .right("NEW MINOR"),
        ])
        table.rows = changes.filter { $0.beacon.kind != .gateway }.map {
            [
                $0.beacon.label, ($0.beacon.name ?? "").printable(),
                ($0.beacon.zone ?? "").printable(), "\($0.major)", "\($0.minor)",
            ]
        }
        let commands = changes.filter { $0.beacon.kind == .gateway }.map { change in
            let gateway = change.beacon.name.flatMap(Topics.name) ?? "GATEWAY"
            return "sightline tune --site \(site ?? "SITE") --gateway \(gateway)"
                + " advertise.major=\(change.major) advertise.minor=\(change.minor)"
        }
        let parts = [
            zones.lines, table.rows.isEmpty ? [] : table.lines, commands,
            [count(changes.count, "beacon") + " to change"],
        ]
        return parts.filter { !$0.isEmpty }
            .map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
    }
}

extension RegistryPlan.Change {
    fileprivate var json: JSON {
        .object([
            .init("kind", "change"), .init("registered", beacon.json),
            .init("major", .integer(Int64(major))), .init("minor", .integer(Int64(minor))),
        ])
    }
}
