import Posix

/// The air that the stations of one process share, each in a thread of its own, all on the boot clock.
package final class SharedAir: Sendable {
    private let air = Guarded(Air())

    package init() {}

    /// What is and was on the air at this moment, and the moment.
    ///
    /// The clock is read while nobody can put anything on the air: no station finds out later that there was something
    /// before the moment until which it has listened.
    func look() -> (moment: Int64, air: Air) { air.withLock { (Clocks.boot, $0) } }

    /// From now on the station has this on the air, and nothing else.
    func put(_ advertised: [OnAir], by gateway: Scenario.Gateway) {
        air.withLock { $0.put(advertised, by: gateway, at: Clocks.boot) }
    }
}

/// A station's part in the shared air, seen from its own thread.
struct Presence: Sendable {
    private let air: SharedAir
    /// Is told of every change of what is on the air.
    private let announce: @Sendable ([OnAir]) -> Void

    init(_ air: SharedAir, announce: @escaping @Sendable ([OnAir]) -> Void = { _ in }) {
        self.air = air
        self.announce = announce
    }

    /// Lets the station know the others; it can go on until the moment that is returned.
    func look(_ station: inout Station) -> Int64 {
        let (moment, air) = air.look()
        station.air = air
        return moment
    }

    /// Lets the others, and the world outside, know what has changed.
    func tell(_ station: inout Station) {
        guard let onAir = station.takeChangeOnAir() else { return }
        air.put(onAir, by: station.gateway)
        announce(onAir)
    }

    /// Takes the station off the air for good, without a word: no command of a host's did that.
    func end(_ station: Station) { air.put([], by: station.gateway) }
}
