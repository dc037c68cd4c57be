import Beacons
import Inventory
import JSON
import Primitives
import Terminal

extension RegistryComparison {
    /// A table of the beacons that need attention, and a line of counts.
    ///
    /// - Parameter showsAll: whether those that were heard are there, too.
    func text(showsAll: Bool) -> String {
        var table = TextTable([
            .left("STATE"), .left("BEACON"), .left("KIND"), .left("NAME"), .left("ZONE"),
            .left("LOUDEST AT"), .right("DBM"), .right("REPORTS"),
        ])
        table.rows = rows.filter { showsAll || $0.state != .heard }.map { row in
            let nearest = row.heard?.nearest
            return [
                row.state.rawValue, "\(row.identity)", row.beacon?.kind.rawValue ?? "",
                (row.beacon?.name ?? "").printable(), (row.beacon?.zone ?? "").printable(),
                nearest?.gateway.printable(limit: 140) ?? "",
                nearest.map { "\(Int($0.level.rounded()))" } ?? "",
                row.heard.map { $0.reports.grouped } ?? "",
            ]
        }
        let counts = State.allCases.map { "\(count($0).grouped) \($0.rawValue)" }
        let others =
            "\(visitors.grouped) of visitors, \(staff.grouped) of ranges of staff,"
            + " \(foreign.grouped) foreign"
        return (table.rows.isEmpty ? [] : table.lines).map { $0 + "\n" }.joined()
            + "\(counts.joined(separator: ", ")); \(others)\n"
    }

    /// The last object of `--json`.
    var summary: JSON {
        .object(
            [.init("kind", "summary"), .init("date", .string(date))]
                + State.allCases.map { .init($0.rawValue, .integer(Int64(count($0)))) } + [
                    .init("visitors", .integer(Int64(visitors))),
                    .init("staff", .integer(Int64(staff))),
                    .init("foreign", .integer(Int64(foreign))),
                ])
    }
}

extension RegistryComparison.Row {
    var json: JSON {
        var members: [JSON.Member] = [
            .init("kind", "beacon"), .init("state", .string(state.rawValue)),
            .init("beacon", .string("\(identity)")),
        ]
        if let beacon { members.append(.init("registered", beacon.json)) }
        if let heard {
            members += [
                .init("reports", .integer(Int64(heard.reports))),
                .init("windows", .integer(Int64(heard.windows))),
                .init("lastHeard", .integer(heard.latest.milliseconds)),
            ]
            if let nearest = heard.nearest {
                members += [
                    .init("gateway", .string(nearest.gateway)),
                    .init("level", .number((nearest.level * 10).rounded() / 10)),
                ]
            }
            if let millivolts = heard.millivolts {
                members.append(.init("millivolts", .integer(Int64(millivolts))))
            }
        }
        return .object(members)
    }
}

extension RegisteredBeacon {
    /// The row with the columns that have a value.
    var json: JSON {
        let values: [(String, JSON?)] = [
            ("uuid", .string("\(uuid)")), ("major", .integer(Int64(major))),
            (
                "minor",
                identity.map { .integer(Int64($0.minor)) } ?? .string(minorText)
            ), ("kind", .string(kind.rawValue)), ("name", name.map { .string($0) }),
            ("zone", zone.map { .string($0) }), ("x", place.map { .number($0.x) }),
            ("y", place.map { .number($0.y) }), ("z", place?.z.map { .number($0) }),
            ("intervalMs", intervalMs.map { .integer(Int64($0)) }),
            ("measuredPower", measuredPower.map { .integer(Int64($0)) }),
            ("telemetry", telemetry.map { .bool($0) }), ("since", since.map { .string($0) }),
            ("until", until.map { .string($0) }), ("line", .integer(Int64(line))),
        ]
        return .object(values.compactMap { name, value in value.map { .init(name, $0) } })
    }
}

extension Registry.Fault {
    var json: JSON {
        .object([
            .init("line", .integer(Int64(line))), .init("message", .string(sentence)),
        ])
    }
}
