import Contract
import JSON
import Queueing

/// A first configuration, made of the gateways that the broker knows. Their roles are guessed from their names, and their
/// own beacons are those that they report.
struct FirstConfiguration {
    enum Role: String, CaseIterable {
        case entry, till, along

        /// Parts of names that people give to gateways of the role.
        private var words: [String] {
            switch self {
            case .entry: ["entry", "entrance", "door", "start", "eingang"]
            case .till: ["till", "checkout", "cash", "register", "pos", "counter", "kasse"]
            case .along: []
            }
        }

        init(guessedFrom name: String) {
            let name = name.lowercased()
            self = Self.allCases.first { $0.words.contains { name.contains($0) } } ?? .along
        }
    }

    /// The gateways of each site.
    private let sites: [String: [DiscoveredGateway]]

    /// - Parameter gateways: in the order of their names.
    init(_ gateways: [DiscoveredGateway]) {
        sites = Dictionary(grouping: gateways, by: \.site)
    }

    var isEmpty: Bool { sites.isEmpty }

    /// A phrase for each site whose queue lacks an entry or a till.
    var lacks: [String] { sites.keys.sorted().compactMap(lack) }

    private func lack(of site: String) -> String? {
        let roles = [Role.entry, .till].filter { gateways(of: site, $0).isEmpty }
        guard !roles.isEmpty else { return nil }
        let names = roles.map { "“\($0.rawValue)”" }.joined(separator: " and ")
        return "\(site): the queue has no gateway in \(names)"
    }

    /// A line for each gateway.
    var lines: [String] {
        sites.keys.sorted().flatMap { site in
            (sites[site] ?? []).map { gateway in
                let beacon = gateway.beacon.map { ", advertises \($0)" } ?? ""
                return
                    "\(site)/\(gateway.name): \(Role(guessedFrom: gateway.name).rawValue)\(beacon)"
            }
        }
    }

    /// The server's name: that of its only site, else the machine's. `nil` if the machine has no name of its own.
    func id(machine: String) -> String? {
        if sites.count == 1 { return sites.keys.first }
        let name = String(machine.prefix { $0 != "." })
        return name == "localhost" ? nil : Topics.name(name)
    }

    /// The file.
    ///
    /// - Parameters:
    ///   - id: the server's name; `nil` leaves the default.
    ///   - mqtt: the section `mqtt`.
    func text(id: String? = nil, mqtt: JSON) -> String {
        let sites = sites.keys.sorted().map { site -> String in
            let members = Role.allCases.map { role in
                JSON.Member(role.rawValue, .array(gateways(of: site, role).map { .string($0) }))
            }
            let queue = JSON.object([.init("queue", "checkout")] + members)
            let beacons = BeaconRange.covering((self.sites[site] ?? []).compactMap(\.beacon))
            let own: [JSON.Member] =
                beacons.isEmpty
                ? [] : [.init("beacons", ["gateway": .array(beacons.map(\.json))])]
            let comment = lack(of: site).map { "    // To do: \($0).\n" } ?? ""
            let layout = JSON.object(
                [.init("site", .string(site)), .init("queues", [queue])] + own)
            return "\(comment)    \(layout.text)"
        }
        let server = id.map { name in
            """

              // No two servers of a broker share this name.
              "server": {"id": \(JSON.string(name).text)},
            """
        }
        let parts = sites.joined(separator: ",\n")
        return """
            // Written by sightline-server init. sightline-server.json(5) explains all keys.
            {\(server ?? "")
              "mqtt": \(mqtt.text),
              // The roles are guessed from the names of the gateways. beacons.gateway is what the gateways advertise themselves.
              "sites": [
            \(parts)
              ]
            }

            """
    }

    private func gateways(of site: String, _ role: Role) -> [String] {
        (sites[site] ?? []).map(\.name).filter { Role(guessedFrom: $0) == role }
    }
}
