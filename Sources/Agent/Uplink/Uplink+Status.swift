import Messages
import Posix
import Sighting

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
}
