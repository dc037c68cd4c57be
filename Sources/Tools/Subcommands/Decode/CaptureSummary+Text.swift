import Beacons
import Primitives
import Terminal

extension CaptureSummary {
    /// The summary for people; `kind` says how the capture wraps its packets.
    func lines(file: String, kind: String) -> [String] {
        ["\(file): btsnoop capture, \(kind)"] + facts.map { "  \($0.padded(12))\($1)" }
            + (reports.beacons == 0 ? [] : [""] + table.lines.map { "  " + $0 })
    }

    private var facts: [(String, String)] {
        var facts: [(String, String)] = []
        if let span {
            let start = UTCTime(span.lowerBound)
            let end = UTCTime(span.upperBound)
            let until = start.date == end.date ? end.clock : "\(end.date) \(end.clock)"
            facts.append(
                (
                    "span",
                    "\(start.date) \(start.clock) to \(until) UTC, "
                        + (span.upperBound - span.lowerBound).text
                ))
        }
        facts.append(
            ("events", "\(events.grouped), \(advertisingEvents.grouped) of them advertising"))
        facts.append(
            (
                "reports",
                "\(reports.all.grouped): \(reports.legacy.grouped) legacy,"
                    + " \(reports.extended.grouped) extended; \(reports.empty.grouped) without data"
            ))
        facts.append(
            (
                "faults",
                "\(reports.malformed.grouped) malformed, \(reports.implausible.grouped) implausible"
            ))
        if reports.fragments > 0 {
            facts.append(("fragments", "\(count(reports.fragments, "part")) of longer data"))
        }
        facts.append(("senders", sendersText))
        facts.append(
            (
                "iBeacons",
                "\(count(reports.beacons, "report")) of \(count(entriesCount, "identity", plural: "identities"))"
            ))
        if reports.cutBeacons > 0 {
            facts.append(
                (
                    "cut",
                    "\(count(reports.cutBeacons, "report")) with the beginning of an iBeacon;"
                        + " --all names what is missing"
                ))
        }
        if reports.eddystones > 0 {
            facts.append(("Eddystone", count(reports.eddystones, "report")))
        }
        if reports.altBeacons > 0 {
            facts.append(("AltBeacon", count(reports.altBeacons, "report")))
        }
        if drops > 0 {
            facts.append(("lost", "\(count(drops, "packet")) by the capturing program"))
        }
        if stepsBack > 0 { facts.append(("clock", "went back \(count(stepsBack, "time"))")) }
        return facts
    }

    private var sendersText: String {
        let kinds = AddressKind.allCases.compactMap { kind in
            senders[kind].map { "\($0.count.grouped) \(kind.rawValue)" }
        }
        let total = senders.values.reduce(0) { $0 + $1.count }
        return kinds.isEmpty
            ? "none"
            : "\(count(total, "address", plural: "addresses")): "
                + kinds.joined(separator: ", ")
    }

    private var table: TextTable {
        var table = TextTable([
            .left("UUID"), .right("MAJOR"), .right("MINOR"), .right("POWER"), .right("REPORTS"),
            .right("RSSI MIN"), .right("MEAN"), .right("MAX"), .right("SENDERS"), .left("FIRST"),
            .left("LAST"),
        ])
        for entry in identities {
            let hasSignal = entry.signal.count > 0
            table.rows.append([
                "\(entry.identity.uuid)", String(entry.identity.major),
                String(entry.identity.minor), String(entry.measuredPower), entry.reports.grouped,
                hasSignal ? String(entry.signal.min) : "–",
                hasSignal ? entry.signal.mean.tenths : "–",
                hasSignal ? String(entry.signal.max) : "–", entry.senders.count.grouped,
                UTCTime(entry.first).clock, UTCTime(entry.last).clock,
            ])
        }
        return table
    }
}
