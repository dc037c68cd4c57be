import Primitives

/// An acknowledgement does not prove that the broker has taken a document. With MQTT 3.1.1, a broker also acknowledges what
/// the user has no right to publish (MQTT 3.1.1 section 3.3.5).
extension Rollout {
    /// The time for the broker to deliver an acknowledged document back to this client.
    static let confirmationTime = Duration.seconds(3)

    /// Whether a message proves that the broker has taken a document.
    func isConfirmed(_ document: DocumentDelivery.Document) -> Bool {
        if document.isSeen { return true }
        let name = document.revision.name
        return results.latest.contains {
            name.covers($0.key) && $0.value.isFinal && $0.value.verdict != .offline
        }
    }

    /// When missing confirmations end the rollout; `nil` if a gateway can still answer a confirmed document.
    var confirmationDue: Instant? {
        guard case .awaitingResults = phase, let delivery, delivery.isAcknowledged,
            let acknowledgedAt = delivery.acknowledgedAt
        else { return nil }
        let changes = delivery.changes
        let isDoubtful =
            results.pending == 0
            ? !changes.allSatisfy(isConfirmed) : !changes.contains(where: isConfirmed)
        return isDoubtful ? acknowledgedAt + Self.confirmationTime : nil
    }
}
