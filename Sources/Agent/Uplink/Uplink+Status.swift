import Contract
import MQTT
import Posix
import Sightings

/// What it says of itself, and when.
extension Uplink {
    /// What the wall clock says now; `nil` where batches bring their own time.
    var stamp: Stamp? {
        settings.restamps ? Stamp(offset: Clocks.wallMinusBoot, clock: clock) : nil
    }

    var clock: ClockState {
        !settings.restamps || Clocks.isWallClockSynchronised ? .synced : .unsynced
    }

    /// Online, as well as the radio is.
    var presence: StatusMessage.State { radio.isDegraded ? .degraded : .online }

    func status(_ state: StatusMessage.State) -> StatusMessage {
        StatusMessage(
            state: state, session: settings.session.description, at: Clocks.wall / 1000,
            version: settings.version, clock: clock)
    }

    /// Whether there is a broker that stays, and nothing has been said after which nothing is said.
    var canAnnounce: Bool {
        connection?.isConnected == true && announcement != .offline && renewal == nil
    }

    /// Says that the agent is online, at each connection and when the radio's or the clock's state changes; or that it
    /// leaves.
    func announce(_ state: StatusMessage.State) {
        announcement = state == .offline ? .offline : .online(state, clock)
        let status = status(state)
        announcedAt = status.clock == .synced ? status.at : nil
        publish(
            Publication(
                topic: settings.topics.topic(.status), payload: status.encoded,
                isRetained: true, contentType: "application/json"),
            token: Self.statusToken)
    }
}
