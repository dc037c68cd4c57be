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
    private var begins: [String: StateSince] = [:]
    /// The published documents by queue.
    private(set) var documents: [String: JSON] = [:]

    init(_ layout: SiteLayout, wall: UnixTime) {
        site = layout.site
        queues = layout.queues.map(\.name)
        for queue in queues { publishers[queue] = ResultPublisher(rev: wall.milliseconds / 1000) }
    }

    /// The states that must be published now. Each counts as published.
    ///
    /// - Parameter absences: why windows of these gateways are missing.
    mutating func due(
        _ states: [QueueNow], absences: [String: SiteGateways.Absence], isDurable: Bool,
        at now: Instant
    ) -> [Due] {
        states.compactMap { state in
            let since = begins[state.queue, default: StateSince()]
                .on(state.state, since: state.since, at: state.at)
            let json = { [site] (rev: Int) in
                state.json(site: site, rev: rev, isDurable: isDurable)
                    .with(since: since).with(absences: absences)
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
    /// The document of a queue with another beginning of its state.
    fileprivate func with(since: UnixSecond?) -> JSON {
        changing("since") { _ in since.map { .integer($0.start.milliseconds) } ?? .null }
    }

    /// Replaces the reason `unknown`, that there is no window, with the cause.
    fileprivate func with(absences: [String: SiteGateways.Absence]) -> JSON {
        guard !absences.isEmpty else { return self }
        return changing("reasons") { reasons in
            guard case .array(let reasons) = reasons else { return reasons }
            return .array(
                reasons.map { reason in
                    guard reason["state"] == "unknown",
                        let cause = absences.first(where: { reason["gateway"] == .string($0.key) })
                    else { return reason }
                    return reason.changing("state") { _ in .string(cause.value.rawValue) }
                })
        }
    }

    private func changing(_ key: String, _ change: (JSON) -> JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { $0.key == key ? .init($0.key, change($0.value)) : $0 })
    }
}
