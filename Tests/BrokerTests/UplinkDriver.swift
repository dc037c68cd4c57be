import Agent
import Beacons
import Contract
import Logging
import MQTT
import Outbox
import Posix
import Primitives
import Session
import Sightings
import TestSupport
import TestVectors

/// The agent's uplink on a thread, with the test in the radio process's place.
final class UplinkDriver {
    private let thread: UplinkThread

    /// Starts it; `adjust` has the last word about its settings.
    init(
        to broker: ConnectionSettings, choice: Reconnect.Choice = .automatic,
        _ adjust: (inout Uplink.Settings) -> Void = { _ in }
    ) throws {
        BrokenPipes.ignore()
        guard let topics = Topics(site: "store-042", gateway: "entry-1") else {
            throw TestFailure("no topics")
        }
        var settings = Uplink.Settings(
            topics: topics, session: Session(milliseconds: 0, random: (1, 2)), version: "0",
            broker: broker, protocolChoice: choice, limits: OutboxLimits(), restamps: false)
        // Tests don't wait for a fleet to spread out.
        settings.brokers.backoff = Backoff(base: .milliseconds(10), cap: .milliseconds(100))
        settings.health.interval = .milliseconds(100)
        adjust(&settings)
        thread = try UplinkThread(settings, log: Log(level: .error))
    }

    deinit { thread.post(.stop) }

    /// Posts batches with these numbers, each with this number of sightings.
    func post(_ seqs: Range<UInt64>, sightings count: Int = 0) {
        var radio = RadioCounts()
        radio.reports = count
        radio.beacons = count
        for seq in seqs {
            let start = Instant(microseconds: Int64(seq) * 1_000_000)
            let sightings = (0..<count).map {
                Sighting(
                    of: Advertisements.beacon(UInt16($0)), rssi: RSSI(dBm: -60), at: start)
            }
            let interval = Interval(start: start, end: start.advanced(byMicroseconds: 1_000_000))
            thread.post(
                Batch(seq: seq, interval: interval, radio: radio, sightings: sightings[...]),
                Stamp(offset: .zero, clock: .synced))
        }
    }

    /// Tells it how the radio is.
    func post(_ radio: RadioHealth) { thread.post(.radio(radio)) }

    /// Lets time pass, in which the thread must not end.
    func staysAlive(milliseconds: Int) throws -> Bool {
        try Poll.wait(for: [Poll.Interest(thread.descriptor)], timeout: milliseconds)[0].isEmpty
    }

    /// Asks it to end, and waits until it has.
    func end(within seconds: Double = Deadline.limit) throws {
        thread.post(.stop)
        let ready = try Poll.wait(
            for: [Poll.Interest(thread.descriptor)], timeout: Int(seconds * 1000))
        guard !ready[0].isEmpty, let end = thread.end else {
            throw TestFailure("the uplink did not end in time")
        }
        try end.get()
    }
}
