import Beacons
import Primitives

/// The advertisements that several stations transmit, or transmitted a moment ago.
///
/// A value without a clock, like the stations. Its owner passes each station's advertisements to
/// `put`. Times are on one timeline of all stations.
package struct Air: Equatable, Sendable {
    private(set) var transmissions: [Transmission] = []

    private enum Memory {
        /// How long what has ended can still be heard by a station that comes late; none comes later
        /// than the two seconds that a connection makes up for.
        static let time: Duration = .seconds(5)
        /// The limit of remembered transmissions that have ended. No host retunes that often.
        static let room = 1024
    }

    package init() {}

    /// Sets the station's advertisements from `time` on.
    ///
    /// An unchanged advertisement, or one with new data only, keeps its schedule, as on real
    /// controllers.
    package mutating func put(
        _ advertised: [OnAir], by gateway: Scenario.Gateway, at time: Instant
    ) {
        forget(before: time - Memory.time)
        var origins: [UInt8?: (interval: Duration, origin: Instant)] = [:]
        var staying: [OnAir] = []
        for (index, old) in transmissions.enumerated()
        where old.gateway.id == gateway.id && old.end == nil {
            if advertised.contains(old.onAir) {
                staying.append(old.onAir)
            } else {
                transmissions[index].end = time
                origins[old.onAir.handle] = (old.interval, old.origin)
            }
        }
        for onAir in advertised where !staying.contains(onAir) {
            var new = Transmission(onAir, by: gateway, origin: time, start: time)
            if let old = origins[onAir.handle], old.interval == new?.interval {
                new = Transmission(onAir, by: gateway, origin: old.origin, start: time)
            }
            if let new { transmissions.append(new) }
        }
    }

    private mutating func forget(before time: Instant) {
        transmissions.removeAll { $0.end.map { $0 < time } ?? false }
        var surplus = transmissions.count - Memory.room
        transmissions.removeAll { transmission in
            guard surplus > 0, transmission.end != nil else { return false }
            surplus -= 1
            return true
        }
    }
}

extension World {
    /// What the gateway hears of the other stations, and what these send, from `start` until just before `end`.
    ///
    /// Their advertisements bear the scenario's measured power at one metre when they are sent with 0 dBm, and so many
    /// dB more or less otherwise. Times are on the radio's timeline, which lacks `worldMinusRadio` to the world's.
    func heard(
        of air: Air, by gateway: Scenario.Gateway, from start: Instant, to end: Instant,
        worldMinusRadio: Duration
    ) -> (heard: [Advertisement], sent: [BeaconIdentity: Int]) {
        var heard: [Advertisement] = []
        var sent: [BeaconIdentity: Int] = [:]
        let receiver = Receiver(random, scenario.radio, gateway)
        for transmission in air.transmissions where transmission.gateway.id != gateway.id {
            let (from, to) = (max(start, transmission.start), min(end, transmission.end ?? end))
            guard from < to else { continue }
            let schedule = AdvertisingSchedule(
                random, entity: transmission.entity, interval: transmission.interval,
                origin: transmission.origin)
            let power = Double(scenario.measuredPower) + Double(transmission.onAir.txPower)
            let mean = propagation.mean(
                power: power, distance: transmission.gateway.place.distance(to: receiver.place),
                at: receiver)
            let link = transmission.entity ^ receiver.station
            for packet in schedule.first(notBefore: from)..<schedule.first(notBefore: to) {
                if let identity = transmission.identity { sent[identity, default: 0] += 1 }
                let time = schedule.time(of: packet)
                let rssi = propagation.rssi(
                    mean: mean, link: link, time: time + worldMinusRadio, packet: packet)
                guard let rssi else { continue }
                heard.append(transmission.advertisement(at: time, rssi: rssi))
            }
        }
        return (heard, sent)
    }
}

extension Transmission {
    fileprivate func advertisement(at time: Instant, rssi: RSSI) -> Advertisement {
        Advertisement(
            time: time, sender: onAir.sender, kind: kind, data: onAir.data, rssi: rssi,
            identity: identity, channels: onAir.channels)
    }
}

/// An unchanged advertisement of one station, from its start to its end.
struct Transmission: Equatable, Sendable {
    let gateway: Scenario.Gateway
    let onAir: OnAir
    let kind: Advertisement.Kind
    /// `nil` if it is not an iBeacon.
    let identity: BeaconIdentity?
    /// A moment at which it sends, and from which its schedule goes on; on the radio's timeline.
    let origin: Instant
    let start: Instant
    /// `nil` while it lasts.
    var end: Instant?

    /// `nil` if other stations can't report it: a directed advertisement, or one that is not a
    /// legacy PDU.
    init?(_ onAir: OnAir, by gateway: Scenario.Gateway, origin: Instant, start: Instant) {
        guard let kind = Advertisement.Kind(properties: onAir.properties) else { return nil }
        self.gateway = gateway
        self.onAir = onAir
        self.kind = kind
        self.origin = origin
        self.start = start
        identity = onAir.beacon?.identity
    }

    /// Controllers take the shortest interval that they are offered.
    var interval: Duration { OnAir.intervalUnit * onAir.interval.lowerBound }

    /// A number for it, by which its random numbers are drawn.
    var entity: UInt64 { Entity.advertisement(of: gateway.id, handle: onAir.handle) }
}
