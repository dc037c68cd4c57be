import Beacons
import Configuration
import Contract
import Inventory
import JSON
import Posix
import Primitives
import Queueing
import Ranging
import ServerConfiguration

/// The registries and plans of the sites, from the files that the configuration names.
struct Registries: Equatable {
    private var registries: [String: Registry] = [:]
    private var plans: [String: FloorPlan] = [:]
    /// The sites of each beacon, by its name.
    private var sites: [String: [String]] = [:]

    init() {}

    /// Reads the files. Throws a line for each fault of any of them.
    ///
    /// - Parameter file: the path of the configuration.
    init(_ configuration: ServerConfiguration, of file: String) throws(ConfigurationError) {
        var lines: [String] = []
        for (index, layout) in configuration.sites.enumerated() {
            if let path = layout.plan {
                plans[layout.site] = Self.plan(
                    path, "\(file): /sites/\(index)/plan", of: layout, &lines)
            }
            guard let path = layout.beacons.registry else { continue }
            do throws(TextFile.Unreadable) {
                let registry = Registry(
                    parsing: try TextFile.contents(of: path, maxBytes: Registry.maxBytes))
                lines += (registry.faults + Self.conflicts(of: registry, layout.beacons)).map {
                    "\(path): \($0)"
                }
                registries[layout.site] = registry
                for item in Set(registry.beacons.map(\.label)) {
                    sites[item, default: []].append(layout.site)
                }
            } catch {
                lines.append(
                    "\(file): /sites/\(index)/beacons/registry: \(path) can't be read: \(error); "
                        + "'sightline beacons import' makes such a file")
            }
        }
        guard lines.isEmpty else { throw ConfigurationError(lines: lines) }
    }

    /// The plan of a file; `nil` after faults, which are added to `lines`.
    private static func plan(
        _ path: String, _ place: String, of layout: SiteLayout, _ lines: inout [String]
    ) -> FloorPlan? {
        do throws(TextFile.Unreadable) {
            let bytes = try TextFile.contents(of: path, maxBytes: PlanDocument.maxBytes)
            let document = PlanDocument(parsing: bytes)
            lines += document.faults.map { $0.line(of: path) }
            for zone in document.plan?.zones ?? [] where !Topics.isName(zone.name) {
                lines.append(
                    "\(path): the zone \(zone.name.quotedForPeople) has a topic of its own; its name must be \(Topics.nameRule)"
                )
            }
            let names = layout.measuringGateways
            for gateway in document.plan?.gateways ?? [] where !Topics.isName(gateway.name) {
                let near = NearestWord.to(gateway.name, among: names).map {
                    "; did you mean \($0.quotedForPeople)?"
                }
                lines.append(
                    "\(path): the gateway \(gateway.name.quotedForPeople) has topics of its own; its name must be \(Topics.nameRule)\(near ?? "")"
                )
            }
            return document.plan
        } catch {
            lines.append(
                "\(place): \(path) can't be read: \(error); name a GeoJSON file in metres")
            return nil
        }
    }

    /// The beacons that the configuration gives to people, and the registry to things: a person's tag must never be shown.
    private static func conflicts(of registry: Registry, _ kinds: BeaconKinds) -> [Registry.Fault] {
        let people = [("visitor", kinds.visitor), ("staff", kinds.staff)]
        return registry.beacons.compactMap { beacon in
            guard let identity = beacon.identity, beacon.kind != .visitor else { return nil }
            // A device may send other formats of the same identity.
            let identities = BeaconIdentity.Format.allCases.map { identity.translated(to: $0) }
            let list = people.first { name, ranges in
                name != beacon.kind.rawValue
                    && ranges.contains { range in identities.contains { range.contains($0) } }
            }
            guard let list else { return nil }
            return Registry.Fault(
                line: beacon.line,
                sentence: "\(beacon.label) is of kind \(beacon.kind.rawValue), "
                    + "but beacons.\(list.0) of the configuration has it too; change one of them")
        }
    }

    subscript(site: String) -> Registry? { registries[site] }

    func plan(of site: String) -> FloorPlan? { plans[site] }

    /// The UUIDs of all rows.
    var uuids: [ProximityUUID] { registries.values.flatMap { $0.beacons.map(\.uuid) } }

    /// The configuration with the kinds of the registries, and the names of the plans.
    func complete(_ configuration: inout ServerConfiguration) {
        for index in configuration.sites.indices {
            let site = configuration.sites[index].site
            configuration.sites[index].planGateways = plans[site]?.gateways.map(\.name) ?? []
            configuration.sites[index].planZones = plans[site]?.zones.map(\.name) ?? []
            guard let registry = registries[site] else { continue }
            configuration.sites[index].beacons.registered = RegisteredKinds(registry)
        }
    }

    /// The kinds of the beacons of a site, in the order of its registry, as a text.
    func kinds(of site: String) -> [UInt8] {
        let beacons = registries[site]?.beacons ?? []
        return beacons.flatMap { Array("\n\($0.label) \($0.kind.tagKind)".utf8) }
    }

    /// The other site whose registry has a beacon.
    func sibling(of site: String, with item: String) -> String? {
        sites[item]?.filter { $0 != site }.min()
    }
}

extension RegisteredKinds {
    init(_ registry: Registry) {
        self.init()
        for beacon in registry.beacons {
            guard let identity = beacon.identity else {
                add(beacon.uuid, beacon.major, beacon.minors, beacon.kind.tagKind)
                continue
            }
            let item = beacon.kind.isExpected ? beacon.label : nil
            add(identity, beacon.kind.tagKind, item: item)
        }
    }
}

extension RegisteredBeacon.Kind {
    fileprivate var tagKind: TagKind {
        switch self {
        case .fixed, .asset: .fixed
        case .gateway: .gateway
        case .staff: .staff
        case .visitor: .visitor
        }
    }
}
