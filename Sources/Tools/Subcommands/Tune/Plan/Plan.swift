import Beacons
import JSON
import Primitives
import Subscriber
import Terminal

/// The edits for many sites and gateways from one file, checked as a whole.
struct Plan {
    /// The sites' edits, then the gateways', both in the file's order.
    private(set) var edits: [LayerEdit]
    /// All gateways in the file.
    private(set) var gateways: [GatewayName]
    /// Probable mistakes: one sentence each.
    let warnings: [String]

    /// - Parameter faults: the faults of other rows.
    init(_ rows: [PlanRow], _ faults: [String]) throws(PlanFile.Invalid) {
        var faults = faults
        let sites = Self.sites(rows, &faults)
        Self.checkRepetitions(rows, &faults)
        Self.checkIdentities(rows, sites, &faults)
        guard faults.isEmpty else { throw PlanFile.Invalid(Self.sorted(faults)) }
        var edits: [LayerEdit] = []
        for (site, major, _) in sites {
            // The value was checked with its row.
            guard let assignment = try? Assignment(key: "advertise.major", value: major) else {
                continue
            }
            edits.append(.init(name: LayerName(site: site), assignments: [assignment]))
        }
        for row in rows where !row.assignments.isEmpty {
            let name = LayerName(site: row.site, gateway: row.gateway)
            edits.append(.init(name: name, assignments: row.assignments))
        }
        guard !edits.isEmpty else { throw PlanFile.Invalid(["no row has a value to set"]) }
        self.edits = edits
        gateways = rows.compactMap { row in
            row.gateway.map { GatewayName(site: row.site, id: $0) }
        }
        warnings = Self.warnings(sites)
    }

    /// Leaves out the gateways that a selection does not choose, and sites of which it does not choose all gateways.
    mutating func restrict(to selection: GatewaySelection) {
        let others = Set(gateways.filter { !selection.contains($0) })
        let sites = Set(others.map(\.site))
        edits.removeAll { edit in
            guard let site = edit.name.site else { return false }
            return edit.name.gateway.map { others.contains(GatewayName(site: site, id: $0)) }
                ?? (sites.contains(site) || !gateways.contains { $0.site == site })
        }
        gateways.removeAll(where: others.contains)
    }

    /// In the file's order, after the faults of the file itself.
    static func sorted(_ faults: [String]) -> [String] {
        func number(_ sentence: String) -> Int {
            let words = sentence.prefix { $0 != ":" }.split(separator: " ")
            return words.count == 2 ? Int(words[1]) ?? 0 : 0
        }
        return faults.enumerated()
            .sorted { (number($0.element), $0.offset) < (number($1.element), $1.offset) }
            .map(\.element)
    }

    private typealias SiteMajor = (site: String, major: JSON, place: String)

    /// Each site's major number, in the order of the rows.
    private static func sites(_ rows: [PlanRow], _ faults: inout [String]) -> [SiteMajor] {
        var sites: [SiteMajor] = []
        var places: [String: Int] = [:]
        for row in rows {
            guard let major = row.major else { continue }
            guard let place = places[row.site] else {
                places[row.site] = sites.count
                sites.append((row.site, major, row.place))
                continue
            }
            if sites[place].major != major {
                faults.append(
                    "\(row.place): major \(major.text.printable()) of \(row.site) contradicts"
                        + " \(sites[place].major.text.printable()) in \(sites[place].place)")
            }
        }
        return sites
    }

    private static func checkRepetitions(_ rows: [PlanRow], _ faults: inout [String]) {
        var places: [LayerName: String] = [:]
        for row in rows {
            let name = LayerName(site: row.site, gateway: row.gateway)
            if let place = places[name] {
                faults.append("\(row.place): \(name) is there already, in \(place)")
            } else {
                places[name] = row.place
            }
        }
    }

    /// The identity of a beacon within a site.
    private struct Place: Hashable {
        let site: String
        let uuid: String
        let major: String
        let minor: String
    }

    private static func checkIdentities(
        _ rows: [PlanRow], _ sites: [SiteMajor], _ faults: inout [String]
    ) {
        let majors = Dictionary(
            sites.map { ($0.site, $0.major) }, uniquingKeysWith: { first, _ in first })
        var owners: [Place: PlanRow] = [:]
        for row in rows {
            // The merged document: a row can set single keys or a whole section.
            let document = row.assignments.reduce(JSON.object([])) { $0.applying($1) }
            guard let gateway = row.gateway, let advertise = document["advertise"],
                let minor = advertise["minor"]
            else { continue }
            let major = advertise["major"] ?? majors[row.site]
            var uuid = ""
            if case .string(let text)? = advertise["uuid"] {
                uuid = ProximityUUID(text).map { "\($0)" } ?? text
            }
            let place = Place(
                site: row.site, uuid: uuid, major: major?.text ?? "", minor: minor.text)
            guard let owner = owners[place] else {
                owners[place] = row
                continue
            }
            // `checkRepetitions` reports a repeated gateway.
            guard let other = owner.gateway, other != gateway else { continue }
            faults.append(
                "\(row.place): \(row.site)/\(gateway) gets the identity of \(row.site)/\(other) in"
                    + " \(owner.place), minor \(minor.text.printable()); each gateway needs its own"
            )
        }
    }

    private static func warnings(_ sites: [SiteMajor]) -> [String] {
        var owners: [String: SiteMajor] = [:]
        return sites.compactMap { site -> String? in
            guard site.major != .null else { return nil }
            guard let owner = owners[site.major.text] else {
                owners[site.major.text] = site
                return nil
            }
            return "warning: \(site.place): \(site.site) gets major \(site.major.text), as"
                + " \(owner.site) in \(owner.place)"
        }
    }
}
