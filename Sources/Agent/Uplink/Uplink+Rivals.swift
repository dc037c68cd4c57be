import Contract
import JSON
import MQTT
import Primitives

/// Another agent with our name: noticed, said, and not fought.
extension Uplink {
    /// Rivals that are told apart in the log.
    private static let mostRivals = 16

    /// A message on our own status topic.
    func heardOfOurselves(_ message: Message) {
        let status: StatusMessage
        do throws(Faults) { status = try StatusMessage(decoding: message.payload) } catch {
            // Whoever may write there may write anything.
            return
        }
        guard rivalries[reconnect.broker].on(status, isRetained: message.isRetained) else { return }
        if isLossUnexplained { takeovers += 1 }
        isLossUnexplained = false
        tellOfRival(status.session)
    }

    /// What ended the connection, as far as the rival explains it.
    func explained(_ failure: ConnectionFailure, at now: Instant) -> ConnectionFailure {
        let wasTaken = rivalries[reconnect.broker].lost(at: now)
        switch failure.cause {
        case .lost where wasTaken:
            takeovers += 1
            isLossUnexplained = false
            return ConnectionFailure(
                address: failure.address,
                cause: .takenOver(clientID: broker.connection.clientID))
        case .lost: isLossUnexplained = true
        case .takenOver:
            takeovers += 1
            isLossUnexplained = false
            if rivals.isEmpty { tellOfRival(nil) }
        default: break
        }
        return failure
    }

    /// Says so once for each session of a rival.
    private func tellOfRival(_ session: String?) {
        let name = session ?? "unknown"
        let isTold = rivals == ["unknown"]
        guard rivals.count < Self.mostRivals, rivals.insert(name).inserted else { return }
        if isTold {
            log.info("the other agent with this gateway's name is known now", ["session": name])
            return
        }
        log.error(
            "another agent has this gateway's name; give each gateway a gateway.id of its own"
                + " (is this, or that, the copy of a card?)",
            [
                "gateway": settings.topics.place, "client": broker.connection.clientID,
                "session": name, "broker": broker.connection.address,
            ])
    }
}
