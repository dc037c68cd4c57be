import Beacons
import Posix
import Primitives
import Subscriber
import Terminal

/// The elements of both lists after filter and order, and the lines that each list has on the screen.
struct WatchPage {
    let gateways: [GatewayName]
    let beacons: [BeaconIdentity]
    /// The rows between the headings.
    let gatewayHeight: Int
    let beaconHeight: Int
    /// The lines below the head of the screen.
    let height: Int
    /// The lines of the details that can be scrolled.
    let detailLines: Int

    /// Heading, notice, and the footer; for each list, its headings and its summary.
    static let headLines = 2
    static let footLines = 1
    private static let listLines = 2

    init(_ model: WatchModel, _ view: WatchView, size: Terminal.Size, notes: Int, at now: Instant) {
        gateways = Self.gateways(model, view, at: now)
        beacons = Self.beacons(model, view, at: now)
        height = max(0, size.rows - Self.headLines - Self.footLines - notes)
        let room = max(0, height - 2 * Self.listLines)
        // Each list has half of the screen; problems always have a line. The shares depend on the gateways only, so that
        // a new beacon moves no row. Late messages of all gateways, as of a slow link, move no row either.
        let problems = model.gateways.count { $0.value.settledCondition(at: now) < .behind }
        let share = max((room + 1) / 2, min(problems, room - 3))
        gatewayHeight =
            model.beacons.isEmpty ? room : min(share, max(1, model.gateways.count), room)
        beaconHeight = room - gatewayHeight
        switch view.opened {
        case .gateway(let name):
            detailLines = model.beacons.count { $0.value.hearings[name] != nil }
        case .beacon(let identity): detailLines = model.beacons[identity]?.hearings.count ?? 0
        case nil: detailLines = 0
        }
    }

    /// More than any list has.
    var longest: Int { gateways.count + beacons.count + detailLines }

    private static func gateways(
        _ model: WatchModel, _ view: WatchView, at now: Instant
    ) -> [GatewayName] {
        let listed = model.gateways.map { name, gateway in
            (name: name, condition: gateway.settledCondition(at: now))
        }.filter { view.gateways.filter.matches("\($0.name) \($0.condition.rawValue)") }
        return listed.sorted { left, right in
            if view.gateways.order == .problems, left.condition != right.condition {
                return left.condition < right.condition
            }
            return left.name < right.name
        }.map(\.name)
    }

    private static func beacons(
        _ model: WatchModel, _ view: WatchView, at now: Instant
    ) -> [BeaconIdentity] {
        let filter = view.beacons.filter
        let listed =
            filter.text.isEmpty
            ? model.places
            : model.places.filter { identity in
                let gateways = model.beacons[identity]?.hearings.keys.map(\.description) ?? []
                return filter.matches("\(identity) " + gateways.joined(separator: " "))
            }
        switch view.beacons.order {
        case .appearance: return listed
        case .identity: return listed.sorted { $0.sortKey < $1.sortKey }
        case .strength:
            let steps = listed.map { identity in
                (identity, step: model.beacons[identity]?.strengthStep(at: now) ?? .min)
            }
            return steps.sorted {
                $0.step != $1.step ? $0.step > $1.step : $0.0.sortKey < $1.0.sortKey
            }.map(\.0)
        }
    }
}

extension WatchedBeacon {
    /// Steps of 6 dB: small changes move no row.
    fileprivate func strengthStep(at now: Instant) -> Int {
        strongest(at: now).map { Int(($0.hearing.level / 6).rounded()) } ?? .min
    }
}

extension BeaconIdentity {
    fileprivate var sortKey: (UInt64, UInt64, UInt16, UInt16) {
        (uuid.high, uuid.low, major, minor)
    }
}
