import HTTP
import JSON
import Primitives
import Queueing
import Results
import ServerConfiguration

/// The state of one item at present, whose publication has no number yet.
struct PresentState {
    let item: String
    let kind: ResultKind
    /// What a publication depends on.
    let contents: JSON
    let document: (_ rev: Int) -> JSON

    /// - Parameter result: the result with a number.
    init<Result: ResultDocument>(_ item: String, _ result: @escaping (_ rev: Int) -> Result) {
        self.item = item
        kind = Result.kind
        contents = result(0).contents
        document = { result($0).json }
    }
}

/// The present states of a site's items, and when each is published.
struct PresentStates {
    /// A state to publish.
    struct Due {
        let kind: ResultKind
        let item: String
        let document: [UInt8]

        /// Who may read it in the stream.
        var scope: Scope {
            PresentKind.named.contains { $0.kind.name == kind.name } ? .public : .read
        }
    }

    private struct Place: Hashable {
        let kind: String
        let item: String
    }

    private var layout: SiteLayout
    /// Of the first publication.
    private let rev: Int64
    private var publishers: [Place: ResultPublisher<JSON>] = [:]
    /// The published documents.
    private var documents: [Place: JSON] = [:]

    init(_ layout: SiteLayout, wall: UnixTime) {
        (self.layout, rev) = (layout, wall.milliseconds / 1000)
        follow(layout)
    }

    /// Takes further items, and forgets those that are gone.
    mutating func follow(_ layout: SiteLayout) {
        self.layout = layout
        let places = PresentKind.all.flatMap { kind in
            kind.items(layout).map { Place(kind: kind.kind.name, item: $0) }
        }
        let present = Set(places)
        publishers = publishers.filter { present.contains($0.key) }
        documents = documents.filter { present.contains($0.key) }
        for kind in PresentKind.all {
            for item in kind.items(layout) {
                let place = Place(kind: kind.kind.name, item: item)
                guard publishers[place] == nil else { continue }
                publishers[place] = ResultPublisher(rev: rev, interval: kind.pace)
            }
        }
    }

    /// The states that must be published now. Each counts as published.
    mutating func due(_ states: [PresentState], at now: Instant) -> [Due] {
        states.compactMap { state in
            let place = Place(kind: state.kind.name, item: state.item)
            guard publishers[place]?.on(state.contents, at: now) == true,
                let rev = publishers[place]?.rev
            else { return nil }
            let document = state.document(Int(rev))
            documents[place] = document
            return Due(kind: state.kind, item: state.item, document: document.bytes)
        }
    }

    /// Makes all states due: the broker may have lost the retained ones.
    mutating func publishAll(at now: Instant) {
        for place in publishers.keys { publishers[place]?.onConnection(at: now) }
    }

    /// The published state; `nil` before the first one.
    func document(_ item: String, of kind: ResultKind = QueueResult.kind) -> JSON? {
        documents[Place(kind: kind.name, item: item)]
    }

    /// The published states of a kind: the most urgent first, then in the order of the configuration.
    func ordered(_ kind: PresentKind) -> [JSON] {
        let documents = kind.items(layout).compactMap { document($0, of: kind.kind) }
        guard let urgency = kind.urgency else { return documents }
        return documents.enumerated().map { (urgency($0.element), $0.offset, $0.element) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }
}

/// Decides when a changing result is published: on a change, but not too often, and at least after some time.
struct ResultPublisher<Contents: Equatable> {
    /// The shortest and the longest time between two publications.
    private let interval: ClosedRange<Duration>

    private var published: Contents?
    private var publishedAt: Instant?
    /// Whether the next publication waits for the shortest time only.
    private var isDue = false
    /// Rises with each publication of other contents.
    private(set) var rev: Int64

    /// - Parameter rev: the number of the publication before the first one. Where it is the time of the start in
    ///   seconds, numbers rise over restarts too, since a second has one publication.
    init(
        rev: Int64, interval: ClosedRange<Duration> = .seconds(1)...ResultTopics.longestPause
    ) {
        self.rev = rev
        self.interval = interval
    }

    /// - Returns: whether `contents` must be published now, with `rev`.
    mutating func on(_ contents: Contents, at now: Instant) -> Bool {
        let isChanged = published != contents
        if let publishedAt {
            let least = isChanged || isDue ? interval.lowerBound : interval.upperBound
            guard now - publishedAt >= least else { return false }
        }
        if isChanged { rev += 1 }
        published = contents
        publishedAt = now
        isDue = false
        return true
    }

    /// Makes the result due again after a new connection. A publication that has waited for it is sent now, and the next one
    /// follows after the shortest time.
    mutating func onConnection(at now: Instant) {
        isDue = true
        if publishedAt != nil { publishedAt = now }
    }
}
