import MQTT

/// What a broker refuses, or ends connections over, beyond what it declares. It outlives the connections.
struct LearnedAbilities {
    private enum Retaining {
        /// The broker said so, or ended a trial.
        case refused
        /// Connections ended over retained messages: the network may be the cause.
        case suspected
        /// A connection without retained messages was stable, and tries one.
        case trial
    }

    /// `nil` while no retained message is refused.
    private var retaining: Retaining?
    private var takesQuality1 = true

    /// Whether another connection gets retained messages.
    var retains: Bool { retaining == nil }

    /// Reads how a connection, or an attempt, ended.
    ///
    /// - Returns: whether the next connection avoids a cause that was unknown.
    mutating func learn(
        from cause: ConnectionFailure.Cause, _ ending: EndingPacket?,
        _ unanswered: [UnansweredPacket]
    ) -> Bool {
        let isUnknown = retaining == nil
        switch cause {
        case .refused(.retainNotSupported), .dismissed(.retainNotSupported):
            retaining = .refused
            return isUnknown
        case .refused(.qosNotSupported), .dismissed(.qosNotSupported):
            defer { takesQuality1 = false }
            return takesQuality1
        case .lost, .dismissed:
            if retaining == .trial {
                retaining = unanswered.contains(where: \.isRetained) ? .refused : .suspected
                return true
            }
            guard let ending, ending.reason == nil, ending.packet.isRetained else { return false }
            if isUnknown { retaining = .suspected }
            return isUnknown
        default: return false
        }
    }

    /// A connection begins.
    mutating func connected() { if retaining == .trial { retaining = .suspected } }

    /// Begins the trial of a retained message on a stable connection, if only a suspicion forbids them.
    mutating func beginTrial() -> Bool {
        guard retaining == .suspected else { return false }
        retaining = .trial
        return true
    }

    /// The broker acknowledges a message.
    ///
    /// - Returns: whether this ends a trial: the suspicion was wrong.
    mutating func acknowledged() -> Bool {
        guard retaining == .trial else { return false }
        retaining = nil
        return true
    }

    /// What the broker declares, without what it refuses.
    func restricted(_ declared: BrokerAbilities) -> BrokerAbilities {
        var abilities = declared
        if retaining != nil { abilities.retains = false }
        if !takesQuality1 { abilities.maximumQuality = .atMostOnce }
        return abilities
    }

    func adapted(_ message: Publication, _ abilities: BrokerAbilities) -> Publication {
        var message = message
        if !abilities.retains, retaining != .trial { message.isRetained = false }
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

extension UnansweredPacket {
    fileprivate var isRetained: Bool {
        if case .publication(let publication) = self { publication.isRetained } else { false }
    }
}
