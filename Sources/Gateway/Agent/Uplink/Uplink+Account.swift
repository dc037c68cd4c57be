import Outbox
import Posix
import Primitives
import Sightings

/// What the uplink hands to a successor, through the radio's process.
extension Uplink {
    /// Continues where an earlier uplink of the session ended: takes its batches, and stores them before the next connection,
    /// which may end this process as well.
    func continueEarlierUplink() throws(Errno) {
        // Messages that came with the first one are not in the socket any more.
        guard let predecessor = settings.predecessor else { return receive(at: .now) }
        let earlier = predecessor.account
        delivery.restore(earlier.outbox)
        health.sightings = earlier.sightings
        health.losses = LatestLoss(after: delivery.losses)
        session.connections = earlier.connections
        duplicates.takeovers = earlier.takeovers
        receive(at: .now)
        while port.received < predecessor.batches, !port.isAtEnd {
            _ = try Poll.wait(for: [port.interest])
            receive(at: .now)
        }
        delivery.storeAll(at: .now)
        reportAccount(isAsked: true)
    }

    /// Reports which batches the uplink still needs: after a question, and after a change that must not be lost.
    func reportAccount(isAsked: Bool = false) {
        guard accounts.isDue(delivery.outbox) || isAsked else { return }
        var account = UplinkAccount()
        account.received = port.received
        account.outbox = delivery.outbox.account
        account.connections = session.connections
        account.takeovers = duplicates.takeovers
        account.sightings = health.sightings
        port.post(.account(account))
    }

    /// Reports what was decided about a message before it is sent.
    func reportDecisions() {
        for stored in delivery.takeDecisions() {
            port.post(.decided(seq: stored.batch.seq, stored.encoded))
            if stored.lost != nil { reportAccount() }
        }
    }
}

/// Decides when the radio's process needs a new account. While the broker acknowledges, few are enough.
struct AccountSchedule {
    /// After this number of batches that need not be kept.
    private static let releasedTogether: UInt64 = 32

    /// The answers to earlier uplinks.
    private let before: UInt64
    private var stored: UInt64 = 0
    private var inMemory = 0
    private var undeclared: Loss?
    /// `nil` until the broker has answered once.
    private var released: UInt64?

    init(after counters: OutboxCounters = OutboxCounters()) {
        before = counters.released
    }

    mutating func isDue(_ outbox: Outbox) -> Bool {
        let counters = outbox.counters
        let released = counters.released
        guard
            counters.stored != stored || outbox.storedInMemory != inMemory
                || outbox.undeclared != undeclared
                || released &- (self.released ?? before) >= Self.releasedTogether
                || self.released == nil && released > before
        else { return false }
        stored = counters.stored
        inMemory = outbox.storedInMemory
        undeclared = outbox.undeclared
        if self.released != nil || released > before { self.released = released }
        return true
    }
}

extension OutboxCounters {
    /// Batches that are over.
    fileprivate var released: UInt64 { acknowledged &+ refused &+ dropped }
}
