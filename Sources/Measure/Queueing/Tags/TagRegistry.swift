import Facts
import Primitives

/// The tags of a site, second by second.
struct TagRegistry {
    /// A stay of a tag in the line of a queue that has become final.
    struct FinalStay {
        let queue: QueueIndex
        let tag: Tag
        let stay: LineStay
        /// Whether it is a visit: others were judged as well.
        let isVisit: Bool
        let kind: TagKind
    }

    private var tags: TagRoster
    private(set) var close: CloseLevels
    private let roles: [QueueRoles]
    /// Of stays that end in one second, the first one decides about the others.
    private let byName: [QueueIndex]
    /// The stays that are not judged.
    private var site: ShoppingLines
    /// By queue; empty before the first second.
    private var gaps: [KnowledgeGaps] = []
    private var distant: DistantGateways

    /// Seconds of the tags for which there was no place.
    var refused: Int { tags.refused }
    /// The known tags by their kind: those of the last day, apart from strangers that made room.
    var kinds: [TagKind: Int] { tags.kinds }
    var evidence: ShoppingEvidence { site.evidence }
    /// Whether the shopping mode is undecided. Then the lines are unknown.
    var isInDoubt: Bool { site.evidence.isInDoubt }

    /// A tag has left after this number of silent seconds of the grid.
    static let goneAfter = 60
    /// Between two removals of forgotten tags.
    private static let forgettingPeriod = Duration.seconds(3600)
    /// Between two updates of the close levels.
    private static let learningPeriod = Duration.seconds(10)

    init(
        close: CloseLevels, shopping: ShoppingEvidence = ShoppingEvidence(), roles: [QueueRoles],
        overtaken: [[Int]?] = [], visitorsAreNamed: Bool = false
    ) {
        self.roles = roles
        byName = roles.byName
        tags = TagRoster(
            gateways: close.gateways.count, queues: roles.count,
            visitorsAreNamed: visitorsAreNamed)
        self.close = close
        let counts = overtaken.isEmpty ? roles.map { _ in nil } : overtaken
        let tills = zip(roles, counts).map {
            ParallelTills(gateways: $0.till.count, counts: $1 ?? ParallelTills.none)
        }
        site = ShoppingLines(shopping, roles, tills)
        distant = DistantGateways(gateways: close.gateways.count)
    }

    /// Takes what all gateways know about a second.
    ///
    /// - Parameter calibrations: of the queues.
    /// - Returns: the stays that are now final.
    mutating func on(
        _ seconds: [GatewaySecond], _ calibrations: [PresenceCalibration], at second: UnixSecond
    ) -> [FinalStay] {
        if gaps.isEmpty { gaps = roles.map { _ in KnowledgeGaps(from: second) } }
        tags.admit(seconds, site.current, at: second)
        if second.isMultiple(of: Self.learningPeriod) { learn() }
        let isKnown = roles.map { $0.isKnown(seconds) }
        let isHeard = seconds.map(\.isHeard)
        for queue in queues where !isKnown[queue] {
            gaps[queue].add(
                unknown: second..<second.next, isAwaited: roles[queue].isAwaited(seconds))
            if let unknown = gaps[queue].unknown { site.lines[queue].widen(with: unknown) }
        }
        var finals: [FinalStay] = []
        var powers = TagPowers(seconds)
        for index in tags.present.indices {
            let tag = tags.present[index].tag
            powers.go(to: tag)
            tags.present[index].on(powers, seconds, close, at: second)
            if distant.on(tags.present[index].levels, isHeard) { tags.present[index].noteApart() }
            if tags.present[index].lies(roles, isKnown, at: second) { continue }
            for queue in byName {
                let levels = isKnown[queue] ? tags.present[index].levels(roles[queue]) : nil
                let stays = tags.present[index].tracks[queue].on(
                    levels, gaps[queue], calibrations[queue], at: second)
                if !stays.isEmpty { finals += take(stays, of: tag, queue) }
            }
        }
        distant.endSecond()
        finals += release(at: second, where: { $0.silence >= Self.goneAfter }) { $1.finish() }
        if second.isMultiple(of: Self.learningPeriod) { finals += leaveTags(at: second) }
        finals += judge(at: second.advanced(by: -LevelHistory.reach))
        follow(at: second)
        if isInDoubt {
            for queue in queues { gaps[queue].add(unseen: second..<second.next) }
        }
        if second.isMultiple(of: Self.forgettingPeriod) { tags.forget(at: second) }
        return finals
    }

    /// Ends the stays of tags that stay at a till without their persons: somebody who joined later was served there.
    ///
    /// - Returns: stays that are no visitor's.
    private mutating func leaveTags(at second: UnixSecond) -> [FinalStay] {
        var finals: [FinalStay] = []
        for index in tags.present.indices where tags.present[index].isWithVisitor {
            let tag = tags.present[index].tag
            for queue in byName {
                guard
                    let stay = tags.present[index].tracks[queue].atTill(
                        site.current, at: second),
                    let end = site.lines[queue].served(
                        at: stay.till, joinedAfter: stay.joined, besides: tag)
                else { continue }
                let stays = tags.present[index].tracks[queue].leaveTag(
                    site.current, at: end, till: stay.till)
                tags.present[index].leave(atTillOf: queue)
                finals += take(stays, of: tag, queue)
                break
            }
        }
        return finals
    }

    /// Ends all tracks: nothing more is known for a long time, or at all.
    ///
    /// - Parameters:
    ///   - calibrations: of the queues.
    ///   - second: the last one.
    mutating func endAll(
        _ calibrations: [PresenceCalibration], at second: UnixSecond
    ) -> [FinalStay] {
        let gaps = gaps
        let ended = release(at: second, where: { _ in true }) { queue, track in
            track.cut(gaps[queue], calibrations[queue], at: second)
        }
        let finals = ended + judge(at: nil)
        follow(at: second)
        return finals
    }

    /// Passes a time without any knowledge, in which no tag is present.
    mutating func skip(_ seconds: Range<UnixSecond>) {
        for queue in queues { gaps[queue].add(unknown: seconds) }
    }

    /// The first second of a queue's line that a later second can still change.
    func undecidedSince(queue: QueueIndex) -> UnixSecond? {
        let dates = tags.present.compactMap {
            $0.tracks[queue].decoder(site.current).undecidedSince
        }
        return (dates + [site.lines[queue].undecidedSince].compactMap(\.self)).min()
    }

    /// What the stays of a queue have shown of its tills (`ParallelTills`).
    func overtaken(queue: QueueIndex) -> [Int] { site.lines[queue].tills.counts }

    /// Whether a visitor's tag was in line twelve seconds ago.
    func isBusy(queue: QueueIndex) -> Bool {
        // By index: an element of a sequence would be a copy.
        tags.present.indices.contains { tags.present[$0].isInLine(queue: queue, site.current) }
    }

    /// Whether a person may join in a second unseen, or may have done so just before.
    func isUnseen(queue: QueueIndex, at second: UnixSecond) -> Bool {
        gaps[queue].isUnseen(at: second)
    }

    /// The line of each queue at the end of a second.
    ///
    /// - Parameter calibrations: of the queues.
    func views(at second: UnixSecond, _ calibrations: [PresenceCalibration]) -> [LineView] {
        var views = queues.map {
            LineView(second: second, unseen: gaps[$0].hiding, gap: gaps[$0].missed)
        }
        for record in tags.present where record.isWithVisitor {
            let tracks = queues.map {
                record.tracks[$0].view(site.current, calibrations[$0], gaps[$0], at: second)
            }
            for (queue, track) in zip(queues, site.lines.exclusive(tracks, of: record.tag)) {
                views[queue].add(record.tag, track)
            }
        }
        for queue in queues {
            views[queue].judge(site.lines[queue], counting: site.counts)
        }
        return views
    }

    private var queues: Range<QueueIndex> { QueueIndex.all(of: roles) }

    private mutating func learn() {
        close.update(present: tags.present.map { $0.loudest.map(\.power) })
    }

    /// The decoders of the visitors' tags that are present.
    private func visitors(_ queue: QueueIndex) -> [LineDecoder] {
        tags.present.compactMap {
            $0.kind == .visitor ? $0.tracks[queue].decoder(site.current) : nil
        }
    }

    /// Changes the shopping mode if people have shown another one.
    private mutating func follow(at second: UnixSecond) {
        guard site.follow(at: second) else { return }
        for index in tags.present.indices { tags.present[index].begin(site.current) }
        // Those who are in line have joined by the other models.
        for queue in queues { gaps[queue].add(unseen: second..<second.next) }
    }

    /// - Returns: the stays that need no judgement by the order of the line: they are no visitor's.
    private mutating func take(
        _ stays: LineTrack.Stays, of tag: Tag, _ queue: QueueIndex
    ) -> [FinalStay] {
        if tags.kind(of: tag) == .visitor {
            site.add(stays, of: tag, queue: queue)
            return []
        }
        return stays[site.current].compactMap {
            $0.isVisit && site.counts($0)
                ? final(LineOrder.Proposal(tag: tag, stay: $0, isVisit: true), queue) : nil
        }
    }

    /// When the first stay of each tag began that is not final, in another queue than this one.
    private func undecided(besides queue: QueueIndex) -> [Tag: UnixSecond] {
        let others = queues.filter { $0 != queue }
        return tags.present.reduce(into: [:]) { result, record in
            result[record.tag] = others.compactMap {
                record.tracks[$0].decoder(site.current).inLineOrPendingSince
            }.min()
        }
    }

    /// - Parameter second: the last that the decoders have scored; `nil` ends the day.
    private mutating func judge(at second: UnixSecond?) -> [FinalStay] {
        var judged = judgeLines(at: second)
        judged.removeAll { isInDoubt || !site.counts($0.stay.stay) }
        // A tag with too many visits is staff from then on. The times of its visits in all queues decide which one is too many.
        judged.sort { left, right in
            if left.stay.stay.precedes(right.stay.stay) { return true }
            return !right.stay.stay.precedes(left.stay.stay)
                && roles[left.queue].name < roles[right.queue].name
        }
        return judged.map { final($0.stay, $0.queue) }
    }

    private mutating func judgeLines(
        at second: UnixSecond?
    ) -> [(queue: QueueIndex, stay: LineOrder.Proposal)] {
        queues.flatMap { queue -> [(queue: QueueIndex, stay: LineOrder.Proposal)] in
            guard site.lines[queue].isWaiting else { return [] }
            let visitors = visitors(queue)
            let undecided = undecided(besides: queue)
            let present = second?.advanced(by: LevelHistory.reach)
            return site.lines[queue].judge(
                at: second, stillInSince: visitors.compactMap(\.inLineOrPendingSince).min(),
                pending: visitors.flatMap(\.pendingStays), undecided: undecided,
                unknown: present.flatMap { gaps[queue].unknown(before: $0.next) }
            ).map { (queue, $0) }
        }
    }

    private mutating func final(_ stay: LineOrder.Proposal, _ queue: QueueIndex) -> FinalStay {
        defer { if stay.isVisit { tags.noteVisit(of: stay.tag) } }
        return FinalStay(
            queue: queue, tag: stay.tag, stay: stay.stay, isVisit: stay.isVisit,
            kind: tags.kind(of: stay.tag))
    }

    /// Ends the presence of tags.
    ///
    /// - Parameter finish: ends the track at a queue.
    private mutating func release(
        at second: UnixSecond, where isGone: (TagRecord) -> Bool,
        finish: (_ queue: QueueIndex, inout LineTrack) -> LineTrack.Stays
    ) -> [FinalStay] {
        tags.leave(where: isGone).flatMap { gone in
            var record = gone
            close.add(record.loudest.map(\.power), at: second)
            let stays = byName.map {
                record.leftAt != nil
                    ? record.tracks[$0].finish() : finish($0, &record.tracks[$0])
            }
            tags.keep(record)
            return zip(byName, stays).flatMap { take($1, of: gone.tag, $0) }
        }
    }
}
