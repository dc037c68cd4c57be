import Contract
import JSON
import Primitives
import Subscriber
import Terminal

/// What the command prints of a fleet.
struct StatusReport {
    let fleet: FleetStatus
    let site: String?
    let gateway: GatewayName?
    let selection: GatewaySelection?
    let states: Set<GatewayCondition>
    let order: StatusOrder
    let failing: Set<GatewayCondition>

    init(_ fleet: FleetStatus, _ command: StatusCommand) {
        self.fleet = fleet
        (site, gateway) = (command.site, command.gateway)
        (states, order) = (command.states, command.order)
        failing = command.failing
        selection = command.connection.selection
    }

    /// Why there is nothing to print: an unknown place, with the nearest names.
    var fault: String? {
        let names = fleet.names
        guard !names.isEmpty else { return UnknownName.noGateway(below: fleet.root) }
        let sites = Set(names.map(\.site)).sorted()
        if let site = site ?? gateway?.site, !sites.contains(site) {
            return UnknownName.sentence("site \(site)", nearest: site, among: sites)
        }
        guard let gateway, !names.contains(gateway) else { return nil }
        let siblings = names.filter { $0.site == gateway.site }.map(\.id)
        return UnknownName.sentence("gateway \(gateway)", nearest: gateway.id, among: siblings)
    }

    /// The gateways of the place.
    private var all: [GatewaySnapshot] { fleet.snapshots(where: isWanted) }

    private func isWanted(_ name: GatewayName) -> Bool {
        (site == nil || name.site == site) && selection?.contains(name) ?? true
    }

    /// A sentence about the gateways of `--label` of which the broker has no message; `nil` if it has some of each.
    var missing: String? {
        let known = Set(fleet.names)
        let missing = (selection?.names ?? []).filter { isWanted($0) && !known.contains($0) }
        guard let selection, !missing.isEmpty else { return nil }
        let most = 5
        return "\(count(missing.count, "gateway")) with \(selection.description)"
            + (missing.count == 1 ? " has" : " have") + " published nothing: "
            + missing.prefix(most).map(\.description).joined(separator: ", ")
            + (missing.count > most ? ", …" : "")
    }

    /// Whether a gateway of the place is in a state of `--fail-on`.
    var isFailing: Bool {
        let all = gateway.map { [$0].compactMap(fleet.snapshot) } ?? self.all
        return all.contains { failing.contains(where: $0.isIn) }
    }

    /// The gateways that the options choose, the worst first.
    var chosen: [GatewaySnapshot] { chosen(all) }

    /// How many gateways of the place are in each state.
    var summary: StyledLine { StatusSummary(all).line }

    private func chosen(_ all: [GatewaySnapshot]) -> [GatewaySnapshot] {
        states.isEmpty ? all : all.filter { states.contains($0.condition) }
    }

    /// One line a gateway.
    var json: [JSON] {
        if let gateway {
            return fleet.snapshot(gateway).map { [$0.json(settings: settings(of: gateway))] } ?? []
        }
        return order.sorted(chosen).map { $0.json() }
    }

    private func settings(of gateway: GatewayName) -> [SettingOrigin] {
        guard let report = fleet.report else { return [] }
        return SettingOrigin.all(of: report) { fleet.document($0, of: gateway) }
    }

    /// - Parameters:
    ///   - width: of the screen; `nil` for no limit.
    ///   - height: for the gateways that need no attention; `nil` for no limit.
    ///   - wall: this machine's wall clock.
    func lines(width: Int?, height: Int?, wall: UnixTime) -> [StyledLine] {
        if let gateway, let snapshot = fleet.snapshot(gateway) {
            return GatewayDetails(
                snapshot: snapshot, report: fleet.report, settings: settings(of: gateway)
            ).lines(width: width, wall: wall)
        }
        let all = self.all
        let wanted = order.sorted(chosen(all))
        let table = StatusTable(wanted, width: width, wall: wall)
        // Heading, the number of the others, an empty line, summary, prompt.
        let room = height.map { max($0 - 5, 0) } ?? wanted.count
        let attention = order == .state ? wanted.count { $0.condition.needsAttention } : 0
        let shown = max(min(room, wanted.count), attention)
        var lines = [table.heading] + table.lines.prefix(shown)
        if shown < wanted.count {
            let rest = count(wanted.count - shown, "more gateway")
            lines.append(StyledLine("and \(rest) (--all shows them)", .faint))
        }
        if wanted.isEmpty { lines = [StyledLine("no gateway is in this state", .faint)] }
        return lines + [StyledLine(), StatusSummary(all).line]
    }
}
