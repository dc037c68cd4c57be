import Beacons
import Primitives

/// The registry against what gateways have heard.
package struct RegistryComparison: Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// A fixed beacon, a gateway or an asset that no gateway has heard.
        case missing
        /// A beacon with a UUID of the registry, and no row.
        case unregistered
        /// Staff that no gateway has heard.
        case absent
        case heard
    }

    package struct Row: Sendable {
        package let state: State
        package let identity: BeaconIdentity
        /// `nil` of an unregistered one.
        package let beacon: RegisteredBeacon?
        /// `nil` where no gateway has heard it.
        package let heard: HeardBeacons.Beacon?
    }

    /// The missing ones first, then in the order of `State`, then of the file or of the identity. No visitor is among them.
    package private(set) var rows: [Row] = []
    /// The beacons of visitors, and of ranges of staff, that were heard.
    package private(set) var visitors = 0
    package private(set) var staff = 0
    /// The beacons of other organisations.
    package private(set) var foreign = 0
    package let date: String

    /// An unregistered beacon needs more than one corrupt report.
    private static let leastReports = 3
    private static let leastWindows = 2

    /// - Parameter date: the rows that hold on it count.
    package init(_ registry: Registry, _ heard: HeardBeacons, on date: String) {
        self.date = date
        var found: [Int: HeardBeacons.Beacon] = [:]
        for (identity, beacon) in heard.beacons {
            if let row = registry.beacon(of: identity, on: date) {
                switch row.kind {
                case .visitor: visitors += 1
                case .staff where row.identity == nil: staff += 1
                default:
                    // A beacon of several formats is one.
                    if found[row.line].map({ $0.reports < beacon.reports }) ?? true {
                        found[row.line] = beacon
                    }
                }
            } else if registry.isOurs(identity) {
                guard beacon.reports >= Self.leastReports, beacon.windows >= Self.leastWindows
                else { continue }
                rows.append(
                    Row(state: .unregistered, identity: identity, beacon: nil, heard: beacon))
            } else {
                foreign += 1
            }
        }
        rows.sort { "\($0.identity)" < "\($1.identity)" }
        for beacon in registry.beacons where beacon.kind != .visitor && beacon.holds(on: date) {
            guard let identity = beacon.identity else { continue }
            let heard = found[beacon.line]
            let silent: State = beacon.kind.isExpected ? .missing : .absent
            rows.append(
                Row(
                    state: heard == nil ? silent : .heard, identity: identity, beacon: beacon,
                    heard: heard))
        }
        rows = State.allCases.flatMap { state in rows.filter { $0.state == state } }
    }

    package func count(_ state: State) -> Int { rows.count { $0.state == state } }
}
