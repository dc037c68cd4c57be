import MQTT
import Primitives

/// What a broker refuses, or ends connections over, beyond what it declares. It outlives the connections.
struct LearnedAbilities {
    private enum Retaining {
        /// The broker said so, or ended several trials.
        case refused
        /// Connections ended over retained messages: the network may be the cause.
        case suspected
        /// A connection without retained messages was stable, and tries one: the message with the token, once it is sent.
        case trial(token: UInt64?)
    }

    /// A bad network ends a trial now and then, and hardly ever so many.
    private static let mostTrials = 3

    /// `nil` while no retained message is refused.
    private var retaining: Retaining?
    private var failedTrials = 0
    private var takesQuality1 = true
    /// The smallest payload that the broker has called too large twice, and until when none of its size is sent.
    private var tooLarge: (bytes: Int, until: Instant)?

    /// The broker may get another limit: two more connections then.
    static let sizeMemory = Duration.seconds(300)

    private var isTrial: Bool { if case .trial? = retaining { true } else { false } }

    /// Whether another connection gets retained messages.
    var retains: Bool { retaining == nil }

    /// Reads how a connection, or an attempt, ended.
    ///
    /// - Returns: whether the next connection avoids a cause that was unknown.
    mutating func learn(
        from cause: ConnectionFailure.Cause, _ ending: EndingPacket?,
        _ unanswered: [UnansweredPacket], at now: Instant
    ) -> Bool {
        if let bytes = ending?.bytesThatAreTooLarge {
            let smallest = tooLarge.flatMap { now < $0.until ? $0.bytes : nil } ?? bytes
            tooLarge = (min(bytes, smallest), now + Self.sizeMemory)
        }
        let isUnknown = retaining == nil
        switch cause {
        case .refused(.retainNotSupported), .dismissed(.retainNotSupported):
            retaining = .refused
            return isUnknown
        case .refused(.qosNotSupported), .dismissed(.qosNotSupported):
            defer { takesQuality1 = false }
            return takesQuality1
        case .lost, .dismissed:
            if case .trial? = retaining {
                if unanswered.contains(where: \.isRetained) { failedTrials += 1 }
                retaining = failedTrials < Self.mostTrials ? .suspected : .refused
                return true
            }
            guard let ending, ending.reason == nil, ending.packet.isRetained else { return false }
            if isUnknown { retaining = .suspected }
            return isUnknown
        default: return false
        }
    }

    /// A connection begins.
    mutating func connected() { if case .trial? = retaining { retaining = .suspected } }

    /// Begins the trial of a retained message on a stable connection, if only a suspicion forbids them.
    mutating func beginTrial() -> Bool {
        guard case .suspected? = retaining else { return false }
        retaining = .trial(token: nil)
        return true
    }

    /// A message is sent.
    mutating func sent(_ message: Publication, token: UInt64?) {
        guard case .trial(token: nil)? = retaining, message.isRetained else { return }
        retaining = .trial(token: token)
    }

    /// The broker acknowledges a message.
    ///
    /// - Returns: whether this ends a trial: the suspicion was wrong.
    mutating func acknowledged(_ token: UInt64?) -> Bool {
        guard case .trial(let tried?)? = retaining, tried == token else { return false }
        retaining = nil
        failedTrials = 0
        return true
    }

    /// What the broker declares, without what it refuses.
    func restricted(_ declared: BrokerAbilities) -> BrokerAbilities {
        var abilities = declared
        if retaining != nil { abilities.retains = false }
        if !takesQuality1 { abilities.maximumQuality = .atMostOnce }
        return abilities
    }

    /// Whether the broker would end the connection over the message's size.
    func isTooLarge(_ message: Publication, at now: Instant) -> Bool {
        tooLarge.map { message.payload.count >= $0.bytes && now < $0.until } ?? false
    }

    func adapted(_ message: Publication, _ abilities: BrokerAbilities) -> Publication {
        var message = message
        if !abilities.retains, !isTrial { message.isRetained = false }
        if abilities.maximumQuality == .atMostOnce { message.quality = .atMostOnce }
        return message
    }

    func adapted(_ will: Will) -> Will {
        var will = will
        will.isRetained = retains
        if !takesQuality1 { will.quality = .atMostOnce }
        return will
    }
}

extension EndingPacket {
    /// The payload's size, if that is certainly the cause.
    fileprivate var bytesThatAreTooLarge: Int? {
        guard isCertain, reason == .packetTooLarge, case .publication(let publication) = packet
        else { return nil }
        return publication.bytes
    }
}

extension UnansweredPacket {
    fileprivate var isRetained: Bool {
        if case .publication(let publication) = self { publication.isRetained } else { false }
    }
}
