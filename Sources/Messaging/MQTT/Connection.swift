import Posix
import Primitives

/// A connection by libmosquitto in this process, which some packets of a broker end: an assertion of the library fails.
package final class Connection: BrokerConnection {
    /// The longest time between two calls of `service`, in milliseconds, for keep-alive and time-outs.
    package static let serviceInterval = 1000

    /// The packets that a call of `service` reads at most.
    private static let mostPackets = 64

    private enum Phase {
        case connecting
        case connected
        case ended
    }

    private let settings: ConnectionSettings
    private let attempts: ConnectionAttempts
    private var phase = Phase.connecting
    private var refusal: ReasonCode?
    private var isDisconnecting = false
    private var sent = SentPackets()
    private var events: [ConnectionEvent] = []
    private var held: HeldAcknowledgements
    /// Ours, or that of the broker.
    private var keepAlive: Duration

    /// Starts to connect. The name lookup may block.
    ///
    /// - Throws: an immediate failure; `isConfiguration` if the settings can't work.
    package init(
        to settings: ConnectionSettings, version: ProtocolVersion, will: Will? = nil
    ) throws(ConnectionFailure) {
        self.settings = settings
        held = HeldAcknowledgements(settings.reading)
        keepAlive = .seconds(settings.usedKeepAliveSeconds)
        attempts = try ConnectionAttempts(settings, version, will)
    }

    package var interest: Poll.Interest? {
        guard phase != .ended, let descriptor = attempts.client.descriptor else { return nil }
        var events: Poll.Events = held.room > 0 ? .input : []
        if unstored == 0, attempts.client.wantsWrite { events.insert(.output) }
        return Poll.Interest(descriptor, events)
    }

    package var unstored: Int { held.count }

    package var awaitsAcknowledgement: Bool { held.room == 0 }

    package var isConnected: Bool { phase == .connected }

    package var isWriting: Bool { phase == .connected && attempts.client.wantsWrite }

    package var unacknowledged: Int { phase == .ended ? 0 : sent.count }

    package var unanswered: [UnansweredPacket] {
        phase == .ended ? sent.packets : []
    }

    package func service(_ ready: Poll.Events) -> [ConnectionEvent] {
        if phase != .ended {
            let outcome = work(ready)
            handle(attempts.callbacks.take())
            if phase != .ended { checkConnection(outcome, ready) }
        }
        defer { events = [] }
        return events
    }

    package func publish(
        _ message: Publication, token: UInt64? = nil
    ) throws(PublishFailure) {
        guard phase == .connected, !isDisconnecting else { throw .notConnected }
        guard !message.topic.utf8.contains(0) else { throw .refused(.topicNameInvalid) }
        let (outcome, mid) = attempts.client.publish(message)
        switch outcome.code {
        case .success:
            let publication = SentPublication(
                token: token, topic: message.topic, bytes: message.payload.count,
                isRetained: message.isRetained)
            sent.sent(mid, publication, message.quality, at: .now)
        case .oversizePacket, .payloadSize: throw .refused(.packetTooLarge)
        case .invalid, .malformedUTF8: throw .refused(.topicNameInvalid)
        case .qosNotSupported: throw .refused(.qosNotSupported)
        case .retainNotSupported: throw .refused(.retainNotSupported)
        default:
            // The library's queue ends with the connection.
            lose(after: outcome)
            throw .notConnected
        }
    }

    package func subscribe(
        to newFilters: [String], quality: QualityOfService = .atLeastOnce
    ) throws(PublishFailure) {
        for filter in newFilters {
            guard phase == .connected, !isDisconnecting else { throw .notConnected }
            guard !filter.utf8.contains(0) else { throw .refused(.topicFilterInvalid) }
            let (outcome, mid) = attempts.client.subscribe(filter, quality)
            switch outcome.code {
            case .success: sent.subscribed(mid, filter)
            case .invalid, .malformedUTF8: throw .refused(.topicFilterInvalid)
            default:
                lose(after: outcome)
                throw .notConnected
            }
        }
    }

    package func unsubscribe(from filters: [String]) throws(PublishFailure) {
        guard phase == .connected, !isDisconnecting else { throw .notConnected }
        for filter in filters where !filter.utf8.contains(0) { attempts.client.unsubscribe(filter) }
    }

    package func acknowledge() { acknowledge(first: held.received) }

    /// Acknowledges the first `number` messages of the connection. The library can't leave out the later ones: if there are
    /// some, the connection reads no more, and waits for their acknowledgement as well.
    package func acknowledge(first number: UInt64) {
        guard unstored > 0 else { return }
        guard number >= held.received else { return held.close() }
        held.stored()
        // What the socket does not take now is written when it is ready.
        if phase == .connected, attempts.client.descriptor != nil { _ = attempts.client.write() }
    }

    package func disconnect() {
        guard phase != .ended, !isDisconnecting else { return }
        isDisconnecting = true
        guard phase == .connected, unstored == 0, attempts.client.disconnect().code == .success
        else {
            return end(.requested)
        }
        if settings.reading != nil { _ = attempts.client.write() }
    }

    package func leave() {
        disconnect()
        _ = service([])
    }
}

// MARK: - Service

extension Connection {
    private func work(_ ready: Poll.Events) -> Mosquitto.Outcome {
        if phase == .connecting { attempts.look(ready) }
        var outcome = Mosquitto.Outcome(code: .success, errno: Errno(rawValue: 0))
        // The same call must not acknowledge the packets that it reads.
        if held.isHolding, unstored == 0, ready.contains(.output) {
            outcome = attempts.client.write()
        }
        if outcome.code == .success, !ready.isDisjoint(with: [.input, .failure]) {
            outcome = read()
        }
        if outcome.code == .success, !held.isHolding, ready.contains(.output),
            attempts.client.descriptor != nil
        {
            outcome = attempts.client.write()
        }
        if outcome.code == .success, attempts.client.descriptor != nil {
            outcome = attempts.client.keepAlive()
        }
        return outcome
    }

    /// Reads all packets that have arrived, up to a limit: one commit stores them, and no later failure hides an answer.
    private func read() -> Mosquitto.Outcome {
        let room = held.isHolding ? held.room : Self.mostPackets
        var outcome = attempts.client.read()
        while outcome.code == .success, outcome.errno != .wouldBlock,
            attempts.client.descriptor != nil, attempts.callbacks.count >= 1,
            attempts.callbacks.count < room
        {
            outcome = attempts.client.read()
        }
        return outcome
    }

    /// Ends the connection after a failed call. The broker's answers, and its reason, may have arrived before.
    private func lose(after outcome: Mosquitto.Outcome) {
        let cause = failure(after: outcome).cause
        if !held.isHolding, attempts.client.descriptor != nil {
            _ = read()
            handle(attempts.callbacks.take())
        }
        end(cause)
    }

    private func handle(_ callbackEvents: [Callbacks.Event]) {
        for event in callbackEvents where phase != .ended {
            switch event {
            case .connected(let code, let abilities): connectionAnswered(code, abilities)
            case .acknowledged(let mid, let code):
                // A QoS 0 message has no token. In 3.1.1, the code is always success.
                guard let publication = sent.answered(mid, at: .now) else { continue }
                events.append(
                    .acknowledged(token: publication.token, ReasonCode(reported: code)))
            case .subscribed(let mid, let code):
                guard let filter = sent.subscriptionAnswered(mid) else { continue }
                events.append(.subscribed(filter: filter, ReasonCode(reported: code)))
            case .message(let message):
                held.add()
                events.append(.message(message))
            case .oversized(let topic, let bytes):
                held.add()
                events.append(.oversized(topic: topic, bytes: bytes))
            case .disconnected(let code):
                // A code below 0x80 is a result of the library. Its call returns it too.
                guard code >= 0x80 else { continue }
                let reason = ReasonCode(reported: code)
                end(
                    reason == .sessionTakenOver
                        ? .takenOver(clientID: settings.clientID) : .dismissed(reason))
            }
        }
    }

    private func connectionAnswered(_ code: CInt, _ abilities: BrokerAbilities) {
        let reason = code < 0x80 ? ReasonCode(returnCodeOf311: code) : ReasonCode(reported: code)
        guard reason == .success else {
            refusal = reason
            return
        }
        phase = .connected
        var abilities = abilities
        abilities.version = attempts.version
        // 0 means none (MQTT 5 section 3.1.2.10).
        if let seconds = abilities.keepAliveSeconds, seconds > 0 {
            keepAlive = .seconds(max(5, seconds))
        }
        events.append(.connected(abilities))
    }

    /// Ends the connection if it was refused, has failed, or has timed out.
    private func checkConnection(_ outcome: Mosquitto.Outcome, _ ready: Poll.Events) {
        if let refusal { return end(.refused(refusal)) }
        // During the TLS handshake, libmosquitto 2.0.11 always returns success on a closed socket.
        guard outcome.code == .success, let descriptor = attempts.client.descriptor,
            ready.isDisjoint(with: .failure) || !SocketState.isFinished(descriptor)
        else { return end(isDisconnecting ? .requested : failure(after: outcome).cause) }
        if phase == .connecting, let cause = attempts.cause(at: .now) { end(cause) }
        // After a stall of this process, the acknowledgements are in the socket, and are read first.
        if phase == .connected, !ready.contains(.input), sent.isOverdue(keepAlive, at: .now) {
            end(.unacknowledged)
        }
    }

    private func end(_ cause: ConnectionFailure.Cause) {
        guard phase != .ended else { return }
        if phase == .connecting, cause.mayDependOnAddress {
            do throws(ConnectionFailure) {
                if try attempts.connectNext() { return }
            } catch {
                return finish(error.cause)
            }
        }
        finish(cause)
    }

    private func finish(_ cause: ConnectionFailure.Cause) {
        phase = .ended
        events.append(.ended(ConnectionFailure(address: settings.address, cause: cause)))
    }

    private func failure(after outcome: Mosquitto.Outcome) -> ConnectionFailure {
        attempts.failure(after: outcome, wasConnected: phase == .connected)
    }
}
