import Facts
import Queueing

/// A beacon's place at present.
package struct PlaceNow: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// Several gateways hear it.
        case known
        /// The site has no plan: its zone follows from labels alone.
        case zoned
        /// One gateway hears it: plus or minus half a room.
        case distance
        /// All gateways listen, and none hears it.
        case silent
        /// No gateway hears it, and one that might does not listen.
        case unknown
        /// Several devices send its identity.
        case clone
        /// The registry says that it is in use no more.
        case retired
    }

    /// What a gateway of the plan says.
    package struct Gateway: Equatable, Sendable {
        package let name: String
        /// In dBm; `nil` of a gateway that does not listen.
        package let level: Double?
        package let distance: PlaceEstimate.Distance?
    }

    package struct Zone: Equatable, Sendable {
        package let name: String
        package let probability: Double
    }

    package struct Nearest: Equatable, Sendable {
        package let gateway: String
        package let probability: Double
    }

    /// The end of the last second that it describes; `nil` before the first one.
    package let at: UnixSecond?
    package let state: State
    package let absent: [AbsentGateway]
    package let area: PlaceEstimate.Area?
    /// The zone that is stated.
    package let zone: String?
    /// The most probable first.
    package let zones: [Zone]
    package let nearest: Nearest?
    /// The nearest first; those that do not listen last.
    package let gateways: [Gateway]

    /// Less is not listed.
    private static let leastProbability = 0.05

    init(
        plan: FloorPlan, at: UnixSecond?, stated: (estimate: PlaceEstimate, levels: [Double?])?,
        zone: Int?, absent: [AbsentGateway]
    ) {
        self.init(nil, plan: plan, at: at, stated: stated, zone: zone, absent: absent)
    }

    /// Of a beacon that has no place.
    init(_ state: State, plan: FloorPlan, at: UnixSecond?, absent: [AbsentGateway]) {
        self.init(state, plan: plan, at: at, stated: nil, zone: nil, absent: absent)
    }

    private init(
        _ reason: State?, plan: FloorPlan, at: UnixSecond?,
        stated: (estimate: PlaceEstimate, levels: [Double?])?, zone: Int?,
        absent: [AbsentGateway]
    ) {
        (self.at, self.absent) = (at, absent)
        let deaf = Set(absent.map(\.gateway))
        let estimate = stated?.estimate
        area = estimate?.area
        let silence: State = at == nil || !deaf.isEmpty ? .unknown : .silent
        let heardState: State? = estimate.map { $0.isByLabels ? .zoned : .distance }
        state = reason ?? (area != nil ? .known : heardState ?? silence)
        let hasZones = estimate?.hasZones ?? false
        self.zone = hasZones ? zone.map { plan.zones[$0].name } : nil
        zones =
            !hasZones
            ? []
            : zip(plan.zones, estimate?.zones ?? []).map { Zone(name: $0.name, probability: $1) }
                .filter { $0.probability >= Self.leastProbability }
                .sorted { ($1.probability, $0.name) < ($0.probability, $1.name) }
        nearest = estimate?.nearest.map {
            Nearest(gateway: plan.gateways[$0.gateway].name, probability: $0.probability)
        }
        let heard = plan.gateways.indices.compactMap { index -> Gateway? in
            let name = plan.gateways[index].name
            guard let level = stated?.levels[index], !deaf.contains(name) else { return nil }
            return Gateway(name: name, level: level, distance: estimate?.distances[index])
        }
        // Without distances, the loudest is the first.
        let order = { (one: Gateway) in (one.distance?.median ?? -(one.level ?? 0), one.name) }
        gateways =
            heard.sorted { order($0) < order($1) }
            + absent.map { Gateway(name: $0.gateway, level: nil, distance: nil) }
    }
}

extension PlaceEstimate {
    private enum Noticeable {
        /// In metres.
        static let step = 0.5
        /// Of the radius.
        static let share = 0.5
        static let probability = 0.15
    }

    /// Whether a reader would notice: another place, another size of the area, another zone, nearest gateway or proximity.
    func differs(from old: PlaceEstimate) -> Bool {
        guard (area == nil) == (old.area == nil) else { return true }
        if let area, let other = old.area {
            let least = max(Noticeable.step, Noticeable.share * other.radius)
            if area.centre.distance(to: other.centre) > least { return true }
            if abs(area.radius - other.radius) > least { return true }
        }
        if zip(zones, old.zones).contains(where: { abs($0 - $1) > Noticeable.probability }) {
            return true
        }
        if let nearest, let other = old.nearest {
            let isOther = nearest.gateway != other.gateway && nearest.probability > 0.5
            let change = abs(nearest.probability - other.probability)
            if isOther || change > Noticeable.probability { return true }
        }
        return zip(distances, old.distances).contains { new, old in
            guard let new, let old else { return new != nil && area == nil }
            return new.proximity != old.proximity || !(old.low...old.high).contains(new.median)
        }
    }
}
