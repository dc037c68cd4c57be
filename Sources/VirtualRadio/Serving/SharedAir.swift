import Posix
import Primitives

/// The air that the stations of one process share, each in a thread of its own, all on the boot clock.
package final class SharedAir: Sendable {
    private let air = Guarded(Air())

    package init() {}

    /// The advertisements on the air, and the time of this reading.
    ///
    /// The lock covers both: a station can't transmit before a time that another station has
    /// already heard.
    func look() -> (moment: Instant, air: Air) { air.withLock { (.now, $0) } }

    /// From now on the station has this on the air, and nothing else.
    func put(_ advertised: [OnAir], by gateway: Scenario.Gateway) {
        air.withLock { $0.put(advertised, by: gateway, at: .now) }
    }
}

/// A station's part in the shared air, seen from its own thread.
struct AirPresence: Sendable {
    private let air: SharedAir
    /// Receives every change of the advertisements.
    private let announce: @Sendable ([OnAir]) -> Void

    init(_ air: SharedAir, announce: @escaping @Sendable ([OnAir]) -> Void = { _ in }) {
        self.air = air
        self.announce = announce
    }

    /// Lets the station know the others; it can go on until the moment that is returned.
    func look(_ station: inout Station) -> Instant {
        let (moment, air) = air.look()
        station.air = air
        return moment
    }

    /// Lets the others, and the world outside, know what has changed.
    func announce(_ station: inout Station) {
        guard let onAir = station.takeChangeOnAir() else { return }
        air.put(onAir, by: station.gateway)
        announce(onAir)
    }

    /// Removes the station from the air. It is not announced: no host command caused it.
    func end(_ station: Station) { air.put([], by: station.gateway) }
}
