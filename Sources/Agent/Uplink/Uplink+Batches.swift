import Beacon
import MQTT
import Messages
import Outbox
import Posix
import Sighting

/// Batches: from the outbox to the broker, and its answers back; and what is due to the outbox meanwhile.
extension Uplink {
    func publishBatches(at now: Instant) {
        if let due = repeatDue, due <= now { repeatDue = nil }
        while connection?.isConnected == true,
            let entry = outbox.next(at: now, clock: stamp)
        {
            let (topic, writer) = writer(of: entry.parcel.origin)
            writer.write(entry.batch, stamp: entry.stamp, lost: entry.lost, into: &buffer)
            publish(
                Publication(topic: topic, payload: buffer, contentType: "application/json"),
                token: entry.id.rawValue)
        }
    }

    private func writer(of origin: Origin) -> (topic: String, writer: SightingsWriter) {
        if let writer, writer.origin == origin { return (writer.topic, writer.writer) }
        // What an earlier session left is said in its name, and where it was.
        let topics = Topics(place: origin.place) ?? settings.topics
        let new = SightingsWriter(topics: topics, session: origin.session)
        writer = (origin, topics.topic(.sightings), new)
        return (topics.topic(.sightings), new)
    }

    func acknowledged(_ id: Entry.ID, _ code: ReasonCode, at now: Instant) {
        if !code.isFailure {
            outbox.acknowledge(id)
            refusals.reset()
        } else if code.mayPass {
            // All that are refused before the next attempt are one refusal.
            let due =
                repeatDue
                ?? now.advanced(byMicroseconds: refusals.next(random: Random.word()))
            repeatDue = due
            outbox.retry(id, notBefore: due)
        } else {
            setAside(id, code)
        }
    }

    func setAside(_ id: Entry.ID, _ code: ReasonCode) {
        guard let batch = outbox.setAside(id) else { return }
        log.error(
            "the broker refused a batch for good",
            ["seq": batch.seq, "topic": settings.topics.topic(.sightings), "reason": code])
    }

    /// Lets the outbox do what is due; a stopping agent without a broker leaves all to the next one at once.
    func store(at now: Instant) {
        let wanted = Int(tuner?.tuning.report.maxSightingsPerMessage ?? 0)
        if wanted > 0, wanted != outbox.limits.maxSightings { outbox.limits.maxSightings = wanted }
        if isStopping, !settings.isPatient, connection?.isConnected != true {
            left = max(left, outbox.save(at: now))
        } else {
            outbox.tick(at: now, clock: stamp)
        }
        tellNotices()
    }
}
