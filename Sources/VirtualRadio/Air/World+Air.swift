import Beacons
import Primitives

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
