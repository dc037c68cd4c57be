import Facts
import Primitives
import Queueing

/// The estimator of where a site's beacons are.
///
/// Places are of the present. Windows that are later than a minute change none of them, and are left out.
package struct RangingEstimator: Sendable {
    private var folds: SiteFolds<RangingFold>
    private(set) var context: RangingContext
    private var labels: [PlaceLabel] = []
    /// The model of the newest labels, while it is made.
    private var draft: RangingModelDraft?
    /// The second of the first window, or of the first zones by labels.
    private var begun: UnixSecond?
    /// The beacons whose identity several devices send: they have no place.
    package var clones: Set<Tag> = []

    /// How long the final fold waits for a gateway.
    package static let lateness = Duration.seconds(60)
    /// The memory for windows that wait behind a hole.
    private static let mostPendingBytes = 8_000_000

    /// An estimate of 2,000 cells and twelve gateways costs 0.15 ms. A larger floor has wider cells.
    private static let mostCells = 2000
    /// Beyond it, persons who are gone are forgotten.
    private static let mostSubjects = 20_000

    package init(_ plan: FloorPlan) {
        context = RangingContext(
            model: RangingModel(plan, labels: [], claimed: [], mostCells: Self.mostCells))
        folds = SiteFolds(
            RangingFold(gateways: plan.gateways.count), gateways: plan.gateways.map(\.name),
            allowedLateness: Self.lateness, mostPendingBytes: Self.mostPendingBytes)
    }

    package var plan: FloorPlan { context.model.plan }

    /// Takes a window, whose readings have the tags of `heard`.
    package mutating func take(
        _ window: WindowFact, from gateway: String, heard: [Tag: RangingSubject]
    ) -> FactOutcome {
        let outcome = folds.take(window, from: gateway)
        guard outcome == .new else { return outcome }
        let second = UnixSecond(containing: window.span.lowerBound)
        begun = begun ?? second
        for (tag, subject) in heard {
            if context.subjects[tag]?.take(subject, at: second) == nil {
                context.subjects[tag] = KnownSubject(subject, at: second)
            }
        }
        if context.subjects.count > Self.mostSubjects {
            let tracks = folds.present.tracks
            forget { tag, subject in subject.isPerson && tracks[tag] == nil }
        }
        return outcome
    }

    /// Forgets subjects, such as those of a day that has ended.
    package mutating func forget(where isOver: (Tag, RangingSubject) -> Bool) {
        context.subjects = context.subjects.filter { !isOver($0, $1.subject) }
    }

    /// The newest time of any window; `nil` before the first one.
    package var newest: UnixTime? { folds.final.seconds.newest }

    /// Whether the last call of `advance` has left something to the next one.
    package var isBehind: Bool { folds.isBehind || draft != nil }

    /// Folds to the present.
    ///
    /// - Parameters:
    ///   - second: the caller's clock.
    ///   - limit: the time that one call folds; the rest follows in the next calls.
    /// - Returns: the beacons that have stood where they were expected.
    package mutating func advance(
        through second: UnixSecond, atMost limit: Duration? = nil
    ) -> [LabelLevels] {
        draft?.addField()
        if let model = draft?.model { use(model) }
        guard newest != nil else { return [] }
        let heard = folds.advance(context, atMost: limit)
        context.tasks.removeAll { one in
            heard.contains { $0.task == one }
                || second > one.seconds.upperBound + Self.lateness * 2
        }
        folds.advance(through: second, context, atMost: limit)
        return heard
    }

    /// Folds everything: no message will follow. The present is then the end.
    package mutating func finish() -> [LabelLevels] { folds.finish(context) }

    // MARK: Labels

    /// Expects a beacon to stand somewhere.
    package mutating func expect(_ standing: LabelTask) { context.tasks.append(standing) }

    /// The label of what was heard. Where only the zone is known, the place is the most probable one in it by the present model.
    package func label(_ heard: LabelLevels) -> PlaceLabel? {
        let standing = heard.task
        guard heard.levels.contains(where: { $0 != nil }), !clones.contains(standing.tag),
            let subject = context.subjects[standing.tag]
        else { return nil }
        let second = standing.seconds.lowerBound
        let point =
            !plan.isDrawn
            ? nil
            : standing.point
                ?? context.model.place(
                    heard.levels, power: context.power(of: standing.tag, subject, at: second),
                    in: standing.zone)
        return PlaceLabel(
            tag: standing.tag, claimed: subject.claimed(at: second), zone: standing.zone,
            place: point.map { RoomPlace($0, z: plan.beaconHeight) }, levels: heard.levels,
            spreads: heard.spreads)
    }

    /// Adds a zone to a site without a plan.
    package mutating func addZone(_ name: String) {
        guard !plan.isDrawn, !plan.zones.contains(where: { $0.name == name }) else { return }
        let plan = FloorPlan(
            undrawn: plan.gateways.map(\.name), zones: plan.zones.map(\.name) + [name])
        context.model = RangingModel(plan, labels: [], claimed: [])
    }

    /// Whether labels tell zones apart, on a site without a plan.
    package var hasZonesByLabels: Bool { context.fingerprints != nil }

    /// Learns all labels, the newest last. The model changes within some calls of `advance`.
    package mutating func learn(_ labels: [PlaceLabel]) {
        self.labels = Array(labels.suffix(RangingModel.mostLabels))
        let tags = tags
        guard plan.isDrawn else {
            if context.fingerprints == nil { begun = folds.present.seconds.next }
            context.fingerprints = ZoneFingerprints(
                self.labels, zones: plan.zones.count, gateways: plan.gateways.count)
            context.revision += 1
            context.powers = self.labels.reduce(into: [:]) {
                $0[$1.tag] = TagPower($1.claimed, deviation: PathLossFit.Prior.drift)
            }
            return
        }
        draft = RangingModelDraft(
            after: context.model, labels: self.labels.compactMap { $0.known(tags) },
            claimed: tags.sorted { $0.value < $1.value }.map { tag, _ in
                self.labels.first { $0.tag == tag }?.claimed ?? 0
            })
    }

    /// The indices of the beacons with labels, in their order.
    private var tags: [Tag: Int] {
        labels.reduce(into: [:]) { tags, label in
            if tags[label.tag] == nil { tags[label.tag] = tags.count }
        }
    }

    private mutating func use(_ model: RangingModel) {
        draft = nil
        context.model = model
        context.revision += 1
        context.powers = tags.mapValues { model.fit.powers[$0] }
    }

    package var fit: PathLossFit { context.model.fit }

    // MARK: The present

    var present: RangingFold { folds.present }

    /// Fixed beacons, gateways and assets are things.
    func kind(of tag: Tag) -> TagKind? {
        context.subjects[tag].map { $0.subject.isPerson ? .visitor : .fixed }
    }

    /// The gateways that do not listen.
    package var absent: [AbsentGateway] {
        let present = folds.present
        return zip(plan.gateways, present.conditions).compactMap { $1.absence(of: $0.name) }
    }

    /// Where a beacon is.
    package func now(_ tag: Tag, _ absent: [AbsentGateway]) -> PlaceNow {
        let present = folds.present
        guard !clones.contains(tag) else {
            return PlaceNow(.clone, plan: plan, at: present.seconds.next, absent: absent)
        }
        let track = present.tracks[tag]
        guard plan.isDrawn || hasZonesByLabels else {
            return PlaceNow(.unknown, plan: plan, at: present.seconds.next, absent: absent)
        }
        return PlaceNow(
            plan: plan, at: present.seconds.next, stated: track?.stated, zone: track?.zone.zone,
            absent: absent)
    }

    /// The state of a beacon that is in use no more.
    package var retired: PlaceNow {
        PlaceNow(.retired, plan: plan, at: present.seconds.next, absent: [])
    }

    /// Whether each beacon had its turn: before, nobody knows how many are in a zone.
    var hasLookedAtAll: Bool {
        guard let begun, let next = folds.present.seconds.next else { return false }
        return begun.distance(to: next) > RangingFold.staying
    }

    /// Seconds of beacons that were left out, since too many were near.
    package var refusedBeaconSeconds: Int { folds.final.refused }

    /// Seconds by which looks at beacons were late, since too many were due.
    package var delayedLooks: Int { folds.final.delayed }
}

/// A label of a beacon with a tag.
package struct PlaceLabel: Equatable, Sendable {
    package let tag: Tag
    /// The power at one metre that the beacon claims, in dBm.
    package let claimed: Double
    /// Its index.
    package let zone: Int
    /// `nil` without a plan.
    package let place: RoomPlace?
    /// In dBm, by the gateways of the plan; `nil` where it was not heard.
    package let levels: [Double?]
    /// Likewise.
    package let spreads: [LevelSpread?]

    package init(
        tag: Tag, claimed: Double, zone: Int, place: RoomPlace?, levels: [Double?],
        spreads: [LevelSpread?]
    ) {
        (self.tag, self.claimed, self.zone, self.place) = (tag, claimed, zone, place)
        (self.levels, self.spreads) = (levels, spreads)
    }

    fileprivate func known(_ tags: [Tag: Int]) -> RangingLabel? {
        place.map { RangingLabel(tag: tags[tag] ?? 0, place: $0, levels: levels) }
    }
}
