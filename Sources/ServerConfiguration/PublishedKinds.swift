import Queueing
import Results

/// A kind of result whose present state a server publishes for each item of a site.
package struct PresentKind: Sendable {
    package let kind: ResultKind
    /// The names of a site's items, in the order of the configuration.
    package let items: @Sendable (SiteLayout) -> [String]

    /// The key of a list of such items.
    package var list: String { kind.topic?.items ?? kind.name }

    package static let queues = PresentKind(kind: QueueResult.kind) { $0.queues.map(\.name) }

    /// Topics, the API, its stream, metrics, discovery and the table without JavaScript take the kinds from this list.
    package static let all = [queues]
}

/// The kinds of results that a server publishes. Each has a schema.
package enum PublishedKinds {
    package static let all =
        PresentKind.all.map(\.kind) + [MinuteResult.kind, VisitResult.kind, ServerStatus.kind]
}
