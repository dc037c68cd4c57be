import Facts
import JSON
import Primitives
import Queueing

/// The present state of each queue of a site, and when it is published.
struct QueueStates {
    /// A state to publish.
    struct Due {
        let queue: String
        let document: [UInt8]
    }

    /// What a publication depends on: the document without its time.
    private struct Contents: Equatable {
        private let document: JSON

        init(_ json: JSON) {
            guard case .object(let members) = json else {
                document = json
                return
            }
            document = .object(members.filter { $0.key != "at" })
        }
    }

    private let site: String
    private let queues: [String]
    private var publishers: [String: ResultPublisher<Contents>] = [:]
    private var published: [String: PublishedState] = [:]
    /// Why windows of a gateway were missing last, and until when.
    private var absences: [String: (cause: SiteGateways.Absence, until: UnixSecond?)] = [:]
    /// The published documents by queue.
    private(set) var documents: [String: JSON] = [:]

    init(_ layout: SiteLayout, wall: UnixTime) {
        site = layout.site
        queues = layout.queues.map(\.name)
        for queue in queues { publishers[queue] = ResultPublisher(rev: wall.milliseconds / 1000) }
    }

    /// The states that must be published now. Each counts as published.
    ///
    /// - Parameter current: why windows of these gateways are missing.
    mutating func due(
        _ states: [QueueNow], absences current: [String: SiteGateways.Absence], isDurable: Bool,
        at now: Instant
    ) -> [Due] {
        let latest = states.compactMap(\.at).max()
        for (gateway, cause) in current { absences[gateway] = (cause, until: latest) }
        return states.compactMap { state in
            let state = published[state.queue, default: PublishedState()].on(state)
            let json = { [site, absences] (rev: Int) in
                state.json(site: site, rev: rev, isDurable: isDurable).changingReasons { reason in
                    guard case .string(let gateway)? = reason["gateway"],
                        let absence = absences[gateway]
                    else { return reason }
                    return reason.explained(by: absence.cause, until: absence.until)
                }
            }
            guard publishers[state.queue]?.on(Contents(json(0)), at: now) == true,
                let rev = publishers[state.queue]?.rev
            else { return nil }
            let document = json(Int(rev))
            documents[state.queue] = document
            return Due(queue: state.queue, document: document.bytes)
        }
    }

    /// Makes all states due: the broker may have lost the retained ones.
    mutating func publishAll(at now: Instant) {
        for queue in queues { publishers[queue]?.onConnection(at: now) }
    }

    /// In the order of the configuration.
    var ordered: [JSON] { queues.compactMap { documents[$0] } }
}

extension JSON {
    /// The document of a queue with other reasons.
    fileprivate func changingReasons(_ change: (JSON) -> JSON) -> JSON {
        changing("reasons") { reasons in
            guard case .array(let reasons) = reasons else { return reasons }
            return .array(reasons.map(change))
        }
    }

    /// A reason whose state is `unknown`, with the cause: the server knew it until a second that is no earlier.
    fileprivate func explained(by cause: SiteGateways.Absence, until: UnixSecond?) -> JSON {
        guard self["state"] == "unknown" else { return self }
        if case .integer(let since)? = self["since"], let until,
            since > until.start.milliseconds
        {
            return self
        }
        return changing("state") { _ in .string(cause.rawValue) }
    }

    private func changing(_ key: String, _ change: (JSON) -> JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { $0.key == key ? .init($0.key, change($0.value)) : $0 })
    }
}
