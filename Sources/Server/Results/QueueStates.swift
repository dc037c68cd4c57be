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

        init(_ state: QueueNow, site: String, isDurable: Bool) {
            let json = state.json(site: site, rev: 0, isDurable: isDurable)
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
    /// The published documents by queue.
    private(set) var documents: [String: JSON] = [:]

    init(_ layout: SiteLayout, wallMs: Int64) {
        site = layout.site
        queues = layout.queues.map(\.name)
        for queue in queues { publishers[queue] = ResultPublisher(rev: wallMs / 1000) }
    }

    /// The states that must be published now. Each counts as published.
    mutating func due(_ states: [QueueNow], isDurable: Bool, at now: Instant) -> [Due] {
        states.compactMap { state in
            let contents = Contents(state, site: site, isDurable: isDurable)
            guard publishers[state.queue]?.on(contents, at: now) == true,
                let rev = publishers[state.queue]?.rev
            else { return nil }
            let document = state.json(site: site, rev: Int(rev), isDurable: isDurable)
            documents[state.queue] = document
            return Due(queue: state.queue, document: document.bytes)
        }
    }

    /// Makes all states due: the broker may have lost the retained ones.
    mutating func publishAll() {
        for queue in queues { publishers[queue]?.reset() }
    }

    /// In the order of the configuration.
    var ordered: [JSON] { queues.compactMap { documents[$0] } }
}
