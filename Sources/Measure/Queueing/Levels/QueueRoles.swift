import Facts

/// The gateways of a queue by their role.
struct QueueRoles {
    /// Of the queue.
    let name: String
    let entry: [GatewayIndex]
    let till: [GatewayIndex]
    let along: [GatewayIndex]

    init(_ queue: QueueLayout, gateways: [String]) {
        let indices = { (names: [String]) in
            names.compactMap { gateways.firstIndex(of: $0).map(GatewayIndex.init) }
        }
        name = queue.name
        entry = indices(queue.entry)
        till = indices(queue.till)
        along = indices(queue.along)
    }

    var all: [GatewayIndex] { entry + till + along }

    /// Whether each role has a gateway that hears. A queue with a deaf role is not known.
    func isKnown(_ seconds: [GatewaySecond]) -> Bool {
        TillIndex.all(of: till).contains { isKnown(seconds, till: $0) }
    }

    /// Whether the messages that may still come can make the queue known.
    func isAwaited(_ seconds: [GatewaySecond]) -> Bool {
        let mayHear = { (gateway: GatewayIndex) in
            seconds[gateway].isHeard || seconds[gateway].isAwaited
        }
        return entry.contains(where: mayHear) && till.contains(where: mayHear)
    }

    /// Whether persons at one of the tills are recognised: its gateway hears, and one at the entry.
    func isKnown(_ seconds: [GatewaySecond], till index: TillIndex) -> Bool {
        seconds[till[index]].isHeard && entry.contains { seconds[$0].isHeard }
    }

    /// The part of a second that both roles certainly heard: the least that two parts of these lengths have in common.
    ///
    /// A second has the length of each part, and not its place. The result is exact where one role heard the whole second.
    func known(_ seconds: [GatewaySecond]) -> Duration {
        let longest = { (gateways: [GatewayIndex]) in
            gateways.lazy.map { seconds[$0].heard }.max() ?? .zero
        }
        return max(.zero, longest(entry) + longest(till) - .seconds(1))
    }

    /// A role's level is that of its loudest gateway.
    ///
    /// - Parameters:
    ///   - levels: of a tag, by gateway.
    ///   - lastHeard: when a gateway heard the tag last.
    func levels(_ levels: [HoldFilter], _ lastHeard: UnixSecond) -> RoleLevels {
        let loudest = { (gateways: [GatewayIndex]) in
            gateways.lazy.map { levels[$0].value }.max() ?? HoldFilter.floor
        }
        let entry = loudest(self.entry)
        let loudestTill = TillIndex.all(of: self.till).max {
            levels[self.till[$0]].value < levels[self.till[$1]].value
        }
        let till = loudest(self.till)
        return RoleLevels(
            entry: entry, till: till, loudestTill: loudestTill ?? TillIndex(0),
            loudest: max(entry, till, loudest(along)), lastHeard: lastHeard)
    }
}

extension [QueueRoles] {
    /// The queues by name: the order of the configuration must decide nothing.
    var byName: [QueueIndex] {
        QueueIndex.all(of: self).sorted { self[$0].name < self[$1].name }
    }
}

/// The levels of one tag at the roles of a queue, in decibels above the close level.
struct RoleLevels: Equatable {
    let entry: Double
    let till: Double
    /// The loudest gateway of the tills.
    let loudestTill: TillIndex
    /// Also of gateways along the line.
    let loudest: Double
    /// The second of the tag's last report; `nil` if it is the present one.
    var lastHeard: UnixSecond?

    /// A tag is away below this level. The tag of a person in line is louder, apart from some seconds. Chosen: the fit had −34 dB, and
    /// people who shop 12 to 40 m away then made their own level sink.
    static let away = -30.0

    var isAway: Bool { loudest < Self.away }
}
