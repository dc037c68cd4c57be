import Contract
import Primitives
import Sightings
import Subscriber
import Terminal

/// One gateway whole: its state, its parts, and each value in force with its layer.
struct GatewayDetails {
    let snapshot: GatewaySnapshot
    let report: ReportedMessage?
    let settings: [SettingOrigin]

    private static let indentation = "  "
    private static let nameWidth = 12

    /// - Parameters:
    ///   - width: of the screen; `nil` for no limit.
    ///   - wall: this machine's wall clock.
    func lines(width: Int?, wall: UnixTime) -> [StyledLine] {
        var head = StyledLine(snapshot.name.description + "  ", .bold)
        head.append(snapshot.condition.rawValue, snapshot.condition.style)
        var reason: [StyledLine] = []
        if head.width + 2 + snapshot.reason.count <= width ?? .max {
            head.append("  " + snapshot.reason)
        } else {
            reason = (Self.indentation + snapshot.reason).wrapped(to: width ?? .max)
                .map { StyledLine($0) }
        }
        var table = TextTable([.left("KEY"), .left("VALUE"), .left("FROM")])
        table.rows = settings.map {
            [$0.path, $0.value.text.printable(limit: 120), "\($0.origin)"]
        }
        let room = (width ?? .max) - Self.indentation.count - Self.nameWidth
        let facts = facts(wall: wall).flatMap { name, text in
            text.wrapped(to: room).enumerated().map { index, part in
                let name = (index == 0 ? name : "").padded(Self.nameWidth)
                var line = StyledLine(Self.indentation + name, .faint)
                line.append(part)
                return line
            }
        }
        guard !settings.isEmpty else { return [head] + reason + facts }
        return [head] + reason + facts + [StyledLine()]
            + table.lines.map { StyledLine(Self.indentation + $0) }
    }

    private static func time(_ time: UnixTime, wall: UnixTime) -> String {
        let age = Age(from: time, to: wall).duration.text
        return "\(UTCTime(time).stamp), \(age) ago"
    }

    private func facts(wall: UnixTime) -> [(name: String, text: String)] {
        var facts: [(String, String)] = []
        let health = snapshot.health
        if let since = snapshot.since {
            let verb = snapshot.condition == .offline ? "last sign of life" : "since"
            facts.append(("time", "\(verb) \(Self.time(since, wall: wall))"))
        }
        if let status = snapshot.status {
            let uptime = health.map { ", running for \($0.uptime.text)" }
            facts.append(
                (
                    "agent",
                    "version \(status.version.printable(limit: 20))\(uptime ?? ""), session"
                        + " \(status.session.printable(limit: 64))"
                ))
        }
        let steps = health.map { ", \(count($0.clock.steps, "step"))" } ?? ""
        facts.append(("clock", (snapshot.clock?.rawValue ?? "unknown") + steps))
        if let health {
            facts += self.facts(health, wall: wall)
            let age = Age(from: health.at, to: wall).duration.text
            facts.append(("health", "of \(age) ago"))
        } else {
            facts.append(("health", "none of this run on the broker"))
        }
        return facts + configurationFacts
    }

    private func facts(_ health: Health, wall: UnixTime) -> [(String, String)] {
        let (radio, outbox, messages) = (health.radio, health.outbox, health.messages)
        let reception = [
            radio.isHearing.map { $0 ? "hearing" : "deaf" },
            radio.reportsPerSecond.map { "\($0.grouped) reports a second" },
            radio.lastReportAge.map { "the last \($0.text) before" },
            radio.scanDutyPercent.map { "listens \($0) % of the time" },
            radio.usesRandomAddress == true ? "no public address" : nil,
        ].compactMap(\.self)
        let unused =
            ["\(radio.malformed.grouped) malformed", "\(radio.implausible.grouped) implausible"]
            + (radio.fragments > 0 ? [count(radio.fragments, "fragment")] : [])
            + (radio.eddystoneURLs > 0 ? [count(radio.eddystoneURLs, "Eddystone URL")] : [])
            + (radio.eddystoneEIDs > 0 ? [count(radio.eddystoneEIDs, "Eddystone EID")] : [])
        let recovery = [
            (radio.restarts, "restart"), (radio.interferences, "interference"),
            (radio.steps.probes, "probe"), (radio.steps.rescans, "rescan"),
            (radio.steps.powerCycles, "power cycle"), (radio.steps.resets, "reset"),
        ].map { count($0.0, $0.1) }
        let age = outbox.oldestAge.map { ", the oldest \($0.text)" } ?? ""
        return [
            ("radio", reception.isEmpty ? "unknown" : reception.joined(separator: ", ")),
            ("reports", "\(radio.reports.grouped); \(unused.joined(separator: ", "))"),
            (
                "recovery",
                recovery.joined(separator: ", ") + ", failed \(count(radio.steps.gaveUp, "time"))"
            ),
            (
                "outbox",
                "\(count(outbox.batches, "message")) (\(outbox.bytes.grouped) bytes)\(age),"
                    + " \(outbox.stored.grouped) on the disk; the disk"
                    + (outbox.isDurable ? " works" : " is unused yet, or fails")
            ),
            (
                "messages",
                "\(messages.acknowledged.grouped) acknowledged, \(outbox.merged.grouped) merged"
            ), ("losses", losses(health, wall: wall)),
            (
                "broker",
                (health.broker?.printable(limit: 100) ?? "unknown")
                    + ", \(count(health.reconnects, "reconnect")),"
                    + " \(count(health.takeovers, "takeover"))"
            ),
        ] + certificate(health, wall: wall)
    }

    private func certificate(_ health: Health, wall: UnixTime) -> [(String, String)] {
        guard let end = health.certificateExpiresAt else { return [] }
        let left = end - wall
        let distance = left < .zero ? "\((wall - end).text) ago" : "in \(left.text)"
        return [("certificate", "ends \(UTCTime(end).stamp), \(distance)")]
    }

    /// All losses are counted; only those of messages have a time.
    private func losses(_ health: Health, wall: UnixTime) -> String {
        let (radio, messages) = (health.radio, health.messages)
        let losses = [
            (messages.lost, "message", "lost"), (messages.refused, "message", "refused"),
            (health.outbox.damaged, "stored message", "damaged"),
            (radio.dropped, "packet", "dropped by the kernel"),
            (radio.untracked, "report", "untracked"),
        ].filter { $0.0 > 0 }.map { "\(count($0.0, $0.1)) \($0.2)" }
        return (losses.isEmpty ? "none" : losses.joined(separator: ", "))
            + " since its start, \(health.uptime.text) ago"
            + (messages.lastLossAt.map { "; the last message \(Self.time($0, wall: wall))" } ?? "")
            + (losses.isEmpty ? "" : "; its log has all times")
    }

    private var configurationFacts: [(String, String)] {
        guard let report = snapshot.report else { return [("layers", "no report on the broker")] }
        let versions = Topics.Layer.allCases.map { layer in
            let pending = snapshot.pending[layer].map { " (the broker has \($0))" } ?? ""
            return "\(layer.rawValue) \(report.versions[layer].map { "\($0)" } ?? "none")\(pending)"
        }
        let saved = report.isPersisted ? "" : ", not saved on its disk"
        var facts = [
            ("layers", "\(versions.joined(separator: ", ")); \(report.status.rawValue)\(saved)")
        ]
        facts += report.faults.map { ("fault", $0.phrase) }
        if let radio = self.report?.radio {
            let power = radio.txPowerDbm.map { ", \($0) dBm" } ?? ""
            let interval = radio.intervalMs.map { ", every \($0.brief) ms" } ?? ""
            let commands = radio.commands.map { ", \($0) commands".printable(limit: 40) } ?? ""
            facts.append(
                (
                    "on the air",
                    (radio.advertising ? "advertising" : "not advertising")
                        + interval + power + commands
                ))
        }
        return facts
    }
}
