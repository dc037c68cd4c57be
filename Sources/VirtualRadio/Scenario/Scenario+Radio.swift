extension Scenario {
    /// How the place treats radio signals. Decibels are standard deviations.
    package struct Radio: Equatable, Sendable {
        /// 2 in the open, 1.1 to 2.5 indoors.
        package var pathLossExponent = 2.0
        /// Each gateway's exponent lies at most so far above or below, uniformly distributed.
        package var pathLossSpread = 0.0
        /// An offset of each gateway, beyond its `gainDb`.
        package var gatewayDb = 0.0
        /// An offset of each tag.
        package var tagDb = 0.0
        /// Each tag's interval is at most so much longer or shorter, uniformly distributed.
        package var tagIntervalPercent = 0.0
        package var shadowing = Shadowing()
        /// Reflections: the same for a person who stands, others after `multipathMetres`.
        package var multipathDb = 0.0
        package var multipathMetres = 0.06
        /// The side on which the tag is worn: a person turns after 7 m of walking, or 50 s.
        package var sideDb = 0.0
        /// People in the way: about 4 s of 16 s.
        package var bodyDb = 0.0
        /// What changes from packet to packet.
        package var fadingDb = 0.0
        /// Where half the packets are lost; `nil` for a receiver that hears everything.
        package var sensitivityDbm: Double?
        /// Packets lost whatever their strength.
        package var lossPercent = 0.0
        /// Whether packets that overlap in time are lost, except one that is much stronger.
        package var collisions = false

        package init() {}
    }

    /// What changes slowly: shelves and people.
    package struct Shadowing: Equatable, Sendable {
        package var db = 0.0
        /// How long a shadow lasts for a person who stands.
        package var seconds = 5.0
        /// How far a shadow reaches for a person who walks; `nil` if walking changes nothing.
        package var metres: Double?
    }
}
