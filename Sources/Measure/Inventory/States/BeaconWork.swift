import JSON
import Primitives

/// What a person should do about a beacon: an item of the work list.
package struct BeaconWork: Equatable, Sendable {
    /// The work list begins with the smallest number.
    package let withinDays: Double
    package let sentence: String

    /// Of the document of a beacon; infinite without work.
    package static func withinDays(_ document: JSON) -> Double {
        switch document["work"]?["withinDays"] {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: .infinity
        }
    }

    /// `nil` where nobody needs to do anything.
    package init?(_ now: BeaconNow) {
        let evidence = now.evidence ?? BeaconEvidence()
        switch now.state {
        case .clone: withinDays = 0
        case .missing: withinDays = 1
        case .moved: withinDays = 3
        case .interval: withinDays = 7
        // A low voltage without a slope may end within days.
        case .battery: withinDays = evidence.daysLeft ?? 7
        case .unseen: withinDays = 14
        case .unknown, .learning, .ok, .retired: return nil
        }
        let name = BeaconEvidence.name(now.entry.beacon.name, now.entry.item)
        sentence =
            InventoryEvent.Kind(rawValue: now.state.rawValue)
            .map { evidence.sentence($0, of: name) } ?? "No gateway has heard \(name) yet."
    }
}

extension InventoryEvent {
    /// What has happened, for people.
    ///
    /// - Parameter name: of the registry.
    package func sentence(_ name: String?) -> String {
        evidence.sentence(kind, of: BeaconEvidence.name(name, item))
    }
}

extension BeaconEvidence {
    /// Without a name, `MAJOR/MINOR`: the beacons of a site have one UUID mostly, and no UUID comes into the store.
    fileprivate static func name(_ name: String?, _ item: String) -> String {
        name?.printable() ?? item.split(separator: "/").suffix(2).joined(separator: "/")
    }

    /// What a state or an event says of a beacon, for people.
    fileprivate func sentence(_ kind: InventoryEvent.Kind, of name: String) -> String {
        switch kind {
        case .clone: "Several devices send the identity of \(name): \(several)."
        case .missing:
            "\(name) is missing: no report for \((silence ?? .zero).text)\(places("at"))."
        case .found: "\(name) is heard again\(places("at"))."
        case .unregistered: "\(name) has no row in the registry\(places("and is loudest at"))."
        case .moved: "\(name) seems to be in another place: its levels have changed\(places("at"))."
        case .battery: battery(of: name)
        case .interval:
            "\(name) sends \(Int(min(rate ?? 0, 1e6) / max(usualRate ?? 1, 1e-3) * 100)) % of its "
                + "usual reports\(places("to"))."
        }
    }

    private var several: String {
        if isEcho { return "the gateway\(places("")) hears it from another one" }
        if let senders { return "\(senders) senders at the same time\(places("at"))" }
        return "\(count(reports ?? 0, "report")) in a minute\(places("at")), and one device sends "
            + "\(limit ?? 0) at most"
    }

    /// ` at till-1, till-2 and 3 others`.
    private func places(_ word: String) -> String {
        let named = gateways.prefix(Self.mostNamed)
        guard let last = named.last else { return "" }
        let others = gateways.count - named.count
        let list = named.dropLast().joined(separator: ", ")
        let names =
            others > 0
            ? "\(named.joined(separator: ", ")) and \(count(others, "other"))"
            : list.isEmpty ? last : "\(list) and \(last)"
        return (word.isEmpty ? " " : " \(word) ") + names
    }

    private static let mostNamed = 3

    /// `Battery of shelf-17 ends in about 3 weeks (2.61 V, −9 mV a week).`
    private func battery(of name: String) -> String {
        let hundredths = (Double(millivolts ?? 0) / 10).rounded()
        let cents = "\(Int(hundredths) % 100)"
        let volts = "\(Int(hundredths) / 100).\(cents.utf8.count < 2 ? "0" : "")\(cents) V"
        guard let daysLeft, let slope = millivoltsPerWeek, slope < 0 else {
            return "Battery of \(name) is low (\(volts))."
        }
        let fall = (-min(max(slope, -1e6), 0)).brief
        return "Battery of \(name) ends \(Self.about(daysLeft)) (\(volts), −\(fall) mV a week)."
    }

    private static func about(_ days: Double) -> String {
        let days = min(max(days, 0), 36_500)
        let (length, unit) = days < 14 ? (1.0, "day") : days < 70 ? (7, "week") : (30.4, "month")
        let number = Int((days / length).rounded())
        return number < 1 ? "now" : "in about \(count(number, unit))"
    }
}
