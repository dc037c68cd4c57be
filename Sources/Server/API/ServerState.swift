import Contract
import HTTP
import JSON
import Posix
import Primitives
import ResultStore
import Results
import ServerConfiguration

/// What the loop changes, and the API and the metrics read.
final class ServerState {
    let session: Session
    private(set) var sites: [Site]
    let store: any ResultStore
    /// What a simulation says, for demonstrations; `nil` in a real store.
    let truth: TruthSource?
    var clock: ServerClock
    /// The events of all sites; the topic of an event is its site.
    let events: EventChannel
    var counts = MessageCounts()
    /// Why there is no connection to the broker; empty until a first attempt ends, `nil` with a connection.
    private(set) var disconnection: String? = ""
    var isDurable = true
    /// What the parts of the loop report.
    var reported = ReportedFaults()
    /// While the server folds the stored windows of the day: the part that is done.
    private(set) var startingPercent: Int?
    /// Messages per second, commits and other counters of the loop.
    var loop = LoopCounters()
    /// Typical days, which are computed once a day.
    private var typicals: [TypicalDay.Key: JSON] = [:]

    /// The most rows of an answer.
    static let mostRows = 10_000

    init(
        session: Session, sites: [Site], store: any ResultStore, truth: TruthSource? = nil,
        clock: ServerClock = ServerClock(wall: Clocks.wall, isDisciplined: true, at: .now)
    ) {
        self.truth = truth
        self.clock = clock
        self.session = session
        self.sites = sites
        self.store = store
        events = EventChannel(EventRing(epoch: session.description))
    }

    /// Whether the broker has accepted the connection.
    var isConnected: Bool { disconnection == nil }

    /// The server's time.
    var wall: UnixTime { clock.time(at: .now) }

    func site(named name: String) -> Site? { sites.first { $0.layout.site == name } }

    /// The running day of each site.
    var runningDays: [String: LocalDay] {
        Dictionary(sites.map { ($0.layout.site, $0.today.day) }) { first, _ in first }
    }

    /// The configured gateways of all sites.
    var gatewayCount: Int { sites.reduce(0) { $0 + $1.layout.measuringGateways.count } }

    func replace(_ sites: [Site]) { self.sites = sites }

    /// The server in the stream.
    var server: JSON { Self.members.json(of: self) }

    static let members: [ResultMember<ServerState>] = [
        .text("version") { _ in Version.current },
        .text("session", "One run of the server.") { $0.session.description },
        .flag("connected", "Whether the broker has accepted the server's connection.") {
            $0.isConnected
        },
        .flag("durable", "false: the server cannot store results, and a restart loses them.") {
            $0.isDurable
        },
        .flag("truth", "Whether the server has the truth of a simulation.") { $0.truth != nil },
        .integer(
            "startingPercent",
            "The part of the day that the server has read from its store; null after the start.",
            atMost: 100
        ) { $0.startingPercent }.nullable,
    ]

    /// The first event of a stream.
    func snapshot(of site: String?, for scope: Scope?) -> JSON {
        let sites = sites.filter { site == nil || $0.layout.site == site }
        let present = PresentKind.named.map { kind in
            JSON.Member(kind.list, .array(sites.flatMap { $0.states.ordered(kind) }))
        }
        let gateways = sites.flatMap(\.gateways.results).map { $0.json(for: scope) }
        var members =
            [JSON.Member("server", server)] + present + [.init("gateways", .array(gateways))]
        if let truth {
            let present = wall - Self.trend..<wall
            members.append(
                .init(
                    "truth",
                    .object(
                        Set(sites.flatMap(\.layout.queues).map(\.name)).sorted().map {
                            .init($0, truth.log.json(of: $0, in: present))
                        })))
        }
        return .object(members)
    }

    /// - Parameter reason: why there is no connection to the broker; `nil` with one.
    func show(disconnection reason: String?) {
        let wasConnected = isConnected
        disconnection = reason
        if isConnected != wasConnected { events.publish("server", server.bytes) }
    }

    func show(startingPercent percent: Int?) {
        guard percent != startingPercent else { return }
        startingPercent = percent
        events.publish("server", server.bytes)
    }

    /// Sends the browsers what a simulation has said since the last call.
    func publishTruth() {
        for (queue, point) in truth?.advance() ?? [] {
            events.publish("truth", TruthLog.members.json(of: (queue, point)).bytes)
        }
    }

    /// The tile of a queue shows so much of the past.
    private static let trend = Duration.seconds(1800)

    static let startingFault = "The server reads the day from its store"
    static let disconnectedFault = "The server is not connected to its broker"

    /// Sentences about what does not work.
    var faults: [String] { faults(for: .read) }

    /// - Parameter scope: everybody may know that the broker is away, and not where it is.
    func faults(for scope: Scope?) -> [String] {
        var faults: [String] = []
        if let startingPercent {
            faults.append("\(Self.startingFault): \(startingPercent) %.")
        } else if let disconnection {
            let isShown = (scope ?? .public) >= .read && !disconnection.isEmpty
            let reason = isShown ? ": \(disconnection)" : ""
            faults.append("\(Self.disconnectedFault)\(reason).")
        }
        if isConnected, let fault = reported.connection { faults.append(fault) }
        if !isDurable {
            faults.append("The server does not store results: \(store.state.reason ?? "retrying").")
        }
        if isConnected, let fault = reported.refusal { faults.append(fault) }
        if isConnected { faults += reported.broker }
        if let clockFault { faults.append(clockFault) }
        if let fault = reported.webhook, (scope ?? .public) >= .read { faults.append(fault) }
        return faults + reported.privacy
    }

    /// Sentences about what works, and may be a mistake. They name gateways.
    func warnings(for scope: Scope?) -> [String] {
        isConnected && (scope ?? .public) >= .read ? reported.gateways : []
    }

    /// Reads the store. A file that is not open has an unknown past, not an empty one.
    func reading<Result>(
        _ work: (any ResultStore) throws(StoreFailure) -> Result
    ) throws(Problem) -> Result {
        var reason = store.state.reason ?? "it is not open"
        if store.isOpen {
            do throws(StoreFailure) { return try work(store) } catch { reason = "\(error)" }
        }
        throw Problem(
            .serviceUnavailable, "The store can't be read: \(reason). The server tries again.",
            headers: ["retry-after": "5"])
    }

    /// The typical waits of a weekday, computed at most once a day, hour by hour.
    func typical(_ site: Site, _ queue: String, _ weekday: Int) throws(Problem) -> Response {
        let key = TypicalDay.Key(
            site: site.layout.site, queue: queue, weekday: weekday, today: site.today.day.name)
        if let known = typicals[key] { return .json(known) }
        typicals = typicals.filter { $0.key.today == key.today || $0.key.site != key.site }
        var day: TypicalDay? = TypicalDay(key, before: site.today.day)
        return try .parts(type: "application/json") { [unowned self] () throws(Problem) in
            let isMore = try reading { store throws(StoreFailure) in try day?.addHour(store) }
            // JSON may begin with spaces.
            guard isMore == false else { return isMore.map { _ in [UInt8(ascii: " ")] } }
            typicals[key] = day?.json
            defer { day = nil }
            return day?.json.bytes
        }
    }
}

/// Sentences about faults, for `/healthz` and the doctor.
struct ReportedFaults {
    /// About keys that are not stored or were replaced, and about keys and files that are not erased.
    var privacy: [String] = []
    /// About topics that the broker refuses.
    var refusal: String?
    /// About the receiver of events.
    private(set) var webhook: String?
    /// About what the broker lacks.
    var broker: [String] = []
    /// About connections to the broker that do not last.
    var connection: String?
    /// About gateways of which the broker has no message.
    private(set) var gateways: [String] = []
    private var loggedGateways: Set<String> = []

    /// - Returns: whether the sentence is new.
    mutating func note(webhook sentence: String?) -> Bool {
        defer { webhook = sentence }
        return sentence != nil && sentence != webhook
    }

    /// - Returns: the sentences that were not noted before.
    mutating func note(gateways sentences: [String]) -> [String] {
        gateways = sentences
        return sentences.filter { loggedGateways.insert($0).inserted }
    }
}

/// What the loop has done since its start.
struct LoopCounters {
    var commits = 0
    /// Commits of which the broker keeps the messages.
    var refusedCommits = 0
    var droppedPublications = 0
    /// Results that the broker has refused.
    var refusedPublications = 0
    /// Events that the webhook took, and that were lost.
    var sentEvents = 0
    var lostEvents = 0
    /// Keys of days that are not closed whose files were lost or damaged.
    var damagedKeys = 0
}
