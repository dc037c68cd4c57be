import Sightings

/// Something about a gateway that an operator wants to be told once.
package struct WatchNotice: Equatable {
    package enum Kind: Equatable {
        case online(version: String)
        /// Something is wrong with its radio, by its own account.
        case degraded
        /// No longer so.
        case recovered
        case offline
        /// Messages come of a session that was not known.
        case newSession
        /// Its radio ceased to hear.
        case deaf
        case hearing
        case clock(ClockState)
        /// It had to give up messages; how many, and why in its own word.
        case lost(UInt64, reason: String)
        /// Messages did not come, and it did not say why.
        case missed(UInt64)
        /// Packets that its kernel threw away.
        case dropped(Int)
    }

    package let gateway: GatewayName
    package let kind: Kind

    package init(gateway: GatewayName, kind: Kind) {
        self.gateway = gateway
        self.kind = kind
    }
}
