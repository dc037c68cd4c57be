import Contract
import MQTT
import Outbox
import Primitives
import Sightings

/// Batches: from the outbox to the broker; and what is due to the outbox meanwhile.
extension Uplink {
    func publishBatches(at now: Instant) {
        if let due = repeatDue, due <= now { repeatDue = nil }
        while connection?.isConnected == true, renewal == nil,
            let entry = outbox.next(at: now, clock: stamp)
        {
            let (topic, writer) = writer(of: entry.stored.origin)
            writer.write(entry.batch, stamp: entry.stamp, lost: entry.lost, into: &buffer)
            topicsInFlight[entry.id.rawValue] = topic
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

    /// Lets the outbox do what is due; a stopping agent without a broker leaves all to the next one at once.
    func store(at now: Instant) {
        let wanted = Int(reconciler?.settings.report.maxSightingsPerMessage ?? 0)
        if wanted > 0, wanted != outbox.limits.maxSightings { outbox.limits.maxSightings = wanted }
        if isStopping, !settings.isPatient, connection?.isConnected != true {
            left = max(left, outbox.save(at: now))
        } else {
            outbox.tick(at: now, clock: stamp)
        }
        logOutboxEvents()
    }
}
