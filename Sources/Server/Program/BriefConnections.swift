import Primitives

/// Connections to the broker that ended soon after they began, one after the other. A broker ends the connection of a server
/// when another one of the same name connects, so that two such servers alternate.
struct BriefConnections {
    private var began: Instant?
    private var ended: Instant?
    private var inSuccession = 0

    /// The other server returns sooner: the wait before its attempt is at most ten seconds.
    static let length = Duration.seconds(30)
    /// A broker that restarts ends one or two.
    static let least = 3

    mutating func began(at now: Instant) { began = now }

    /// The server itself ends the connection.
    mutating func interrupted() { began = nil }

    mutating func ended(at now: Instant) {
        guard let began else { return }
        inSuccession = now - began < Self.length ? inSuccession + 1 : 0
        (self.began, ended) = (nil, now)
    }

    /// - Parameter suspicion: who may have ended them.
    /// - Returns: a sentence; `nil` if the connections last.
    func fault(_ suspicion: String, at now: Instant) -> String? {
        guard inSuccession >= Self.least, let ended, now - ended < Self.length else { return nil }
        return "The last \(inSuccession) connections to the broker ended soon after they began: "
            + "\(suspicion)."
    }
}
