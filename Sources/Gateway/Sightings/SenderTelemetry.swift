import Beacons
import Primitives

/// Telemetry that waits for a sighting of its sender.
///
/// An Eddystone-TLM frame has no identity: it is of the beacon whose other frames have the same sender. A beacon sends one
/// for some ten others, so that the sighting may be of a later window.
struct SenderTelemetry {
    private var waiting: [DeviceAddress: (telemetry: Eddystone.Telemetry, at: Instant)] = [:]

    /// Beyond these senders, telemetry of the oldest is given up: the beacon repeats it.
    private static let mostSenders = 1024
    /// A sender changes its address after minutes: another device may then have the former one.
    private static let longest = Duration.seconds(60)

    mutating func note(
        _ telemetry: Eddystone.Telemetry, from sender: DeviceAddress, at instant: Instant
    ) {
        waiting[sender] = (telemetry, instant)
        guard waiting.count > Self.mostSenders else { return }
        // It removes the older half, so that a flood costs little for each frame.
        let times = waiting.values.map(\.at).sorted()
        let median = times[times.count / 2]
        waiting = waiting.filter { $0.value.at > median }
        waiting[sender] = (telemetry, instant)
    }

    /// Forgets senders that were not heard again.
    private mutating func prune(at instant: Instant) {
        waiting = waiting.filter { instant - $0.value.at < Self.longest }
    }

    /// Gives each sighting the telemetry of its latest sender.
    mutating func join(
        to sightings: inout [Sighting], of senders: [DeviceAddress], at instant: Instant
    ) {
        guard !waiting.isEmpty else { return }
        var joined: [DeviceAddress] = []
        for (index, sender) in senders.enumerated() {
            guard let one = waiting[sender],
                sightings[index].firstSeen - one.at < Self.longest
            else { continue }
            sightings[index].telemetry = one.telemetry
            joined.append(sender)
        }
        for sender in joined { waiting[sender] = nil }
        prune(at: instant)
    }
}
