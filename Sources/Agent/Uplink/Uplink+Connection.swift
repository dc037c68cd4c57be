import Contract
import MQTT
import Outbox
import Posix
import Primitives

/// The connection, from the attempt to its end.
extension Uplink {
    /// The broker that is tried next, or that there is a connection to.
    var broker: Broker {
        let alternatives = settings.alternatives
        let index = reconnect.broker - 1
        return alternatives.indices.contains(index) ? alternatives[index] : settings.broker
    }

    func connectIfDue() {
        let now = Self.now
        guard connection == nil, renewal == nil, retry <= now, !isStopping || outbox.unsaved > 0,
            isFound(at: now)
        else { return }
        let will = Will(
            topic: settings.topics.topic(.status), payload: status(.offline).encoded)
        do throws(ConnectionFailure) {
            connection = try Connection(
                to: broker.connection, version: reconnect.version, will: will)
        } catch {
            ended(error)
        }
    }

    /// Whether the broker's name resolves. A lookup that takes too long is a failure, and goes on: the same broker's next
    /// turn waits for the same answer.
    private func isFound(at now: Instant) -> Bool {
        let index = reconnect.broker
        let address = broker.connection
        if lookups[index] == nil {
            do throws(Errno) {
                lookups[index] = try Lookup(
                    address.host, port: address.port, resolver: settings.resolver)
            } catch {
                log.error("no thread can be started to look names up", ["reason": error])
                lookupsEnd = nil
                ended(ConnectionFailure(address: address.address, cause: .hostNotFound))
                return false
            }
        }
        let end = lookupsEnd ?? now.advanced(byMicroseconds: settings.lookupTime)
        lookupsEnd = end
        guard let answer = lookups[index]?.takeAnswer() else {
            if end <= now {
                lookupsEnd = nil
                ended(ConnectionFailure(address: address.address, cause: .hostNotFound))
            }
            return false
        }
        lookups[index] = nil
        lookupsEnd = nil
        if !answer { ended(ConnectionFailure(address: address.address, cause: .hostNotFound)) }
        return answer
    }

    func serve(_ ready: Poll.Events, at now: Instant) {
        guard let events = connection?.service(ready) else { return }
        for event in events {
            switch event {
            case .connected(let limits): connected(limits, at: now)
            case .acknowledged(Self.statusToken, let code):
                if !code.isFailure { rivalries[reconnect.broker].acknowledged(at: announcedAt) }
                answered(settings.topics.topic(.status), code)
            case .acknowledged(Self.reportToken, let code):
                isReporting = false
                answered(settings.topics.topic(.reported), code)
            case .acknowledged(Self.trackersToken, let code):
                answered(settings.topics.topic(.trackers), code)
            case .acknowledged(Self.discoveryToken, let code):
                if let home = settings.home { answered(home.topic, code) }
            case .acknowledged(let token?, let code):
                acknowledged(Entry.ID(rawValue: token), code, at: now)
            case .subscribed(let filter, let code): answeredSubscription(to: filter, code)
            case .message(let message): received(message, at: now)
            case .oversized(let topic, let bytes): receivedOversized(topic, bytes: bytes)
            case .ended(let failure):
                forgetConnection()
                // Whatever ended it: the next one is to another, or with something else to show.
                if renewal != nil { renew() } else { ended(failure) }
            case .acknowledged: break
            }
        }
        guard canAnnounce else { return }
        if announcement != .online(presence, clock) { announce(presence) }
    }

    /// What was on its way is to be sent again.
    func forgetConnection() {
        connection = nil
        isReporting = false
        topicsInFlight.removeAll(keepingCapacity: true)
        outbox.connectionLost()
    }

    private func connected(_ limits: BrokerLimits, at now: Instant) {
        connections += 1
        hasTriedBroker = true
        lastFailures[reconnect.broker] = nil
        reconnect.connected(at: Clocks.boot)
        rivalries[reconnect.broker].connected(
            at: now, time: clock == .synced ? Clocks.wall / 1000 : nil)
        outbox.window = limits.receiveMaximum
        log.info(
            "connected",
            [
                "broker": broker.connection.address,
                "mqtt": limits.version == .v5 ? "5" : "3.1.1",
            ])
        if connections == 1, clock == .unsynced, outbox.mayDelay {
            log.info(
                "the clock is not set: messages wait for it",
                ["seconds": settings.limits.clockSyncDelay.wholeSeconds])
        }
        announcement = .none
        isDiscoveryDue = settings.home != nil
        areTrackersDue = settings.home != nil
        subscribe()
    }

    private func ended(_ failure: ConnectionFailure) {
        let now = Self.now
        hasTriedBroker = true
        let failure = explained(failure, at: now)
        let broker = reconnect.broker
        let wait = reconnect.ended(failure.cause, at: Clocks.boot, random: Random.word())
        retry = now.advanced(byMicroseconds: wait)
        guard failure.cause != .requested, failure != lastFailures[broker] else { return }
        lastFailures[broker] = failure
        if case .takenOver = failure.cause {
            log.warning(
                failure.description, ["waiting": outbox.depth, "awaySeconds": wait / 1_000_000])
        } else {
            log.warning(failure.description, ["waiting": outbox.depth])
        }
    }
}
