import Primitives
import Subscriber

/// The new revisions of a rollout, and how far each one has come.
struct DocumentDelivery {
    struct Document {
        let revision: DocumentRevision
        /// The broker received a message, or may have received it.
        var isSent = false
        /// The messages that the broker has yet to acknowledge.
        var unacknowledged: Int
        /// The broker delivered the revision back to this client.
        var isEchoed = false
        /// Another client then replaced the revision with another document of its version.
        var isOverwritten = false
        /// Another client's document that the broker had before this revision: it takes precedence.
        var precedent: RetainedDocument?
        /// The later version of another client.
        var laterVersion: Int64?

        init(_ revision: DocumentRevision) {
            self.revision = revision
            unacknowledged = revision.messages.count
        }

        var isAcknowledged: Bool { unacknowledged == 0 }

        /// The broker has delivered the revision, or another client's document, back to this client.
        var isSeen: Bool {
            isEchoed || isOverwritten || precedent != nil || laterVersion != nil
        }

        /// The broker has acknowledged the revision, or has delivered it.
        var isPublished: Bool { isAcknowledged || isEchoed }
    }

    /// In the order of the request's edits.
    private(set) var documents: [Document]
    private let indices: [LayerName: Int]
    /// When the publication began.
    private(set) var begunAt: Instant
    /// Gateways without an answer are silent from then on.
    var deadline: Instant
    /// When the broker acknowledged the latest document.
    var acknowledgedAt: Instant?

    init(_ revisions: [DocumentRevision], at now: Instant, timeout: Duration) {
        documents = revisions.map { Document($0) }
        indices = Dictionary(
            revisions.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { $1 })
        begunAt = now
        deadline = now + timeout
    }

    /// The publication begins after a question.
    mutating func begin(at now: Instant, timeout: Duration) {
        begunAt = now
        deadline = now + timeout
    }

    /// The position of a layer's document among the request's edits.
    func index(of name: LayerName) -> Int? { indices[name] }

    /// The document of a layer; writing `nil` has no effect.
    subscript(name: LayerName) -> Document? {
        get { indices[name].map { documents[$0] } }
        set { if let newValue, let index = indices[name] { documents[index] = newValue } }
    }

    /// The documents of the layers that apply to a gateway, from the lowest layer to the highest.
    subscript(gateway: GatewayName) -> [Document] {
        [LayerName(), LayerName(site: gateway.site), LayerName(gateway)].compactMap { self[$0] }
    }

    /// The documents that differ from the broker's.
    var changes: [Document] { documents.filter { $0.revision.bytes != nil } }

    var isAcknowledged: Bool { documents.allSatisfy(\.isAcknowledged) }

    var isOverwritten: Bool { documents.contains(where: \.isOverwritten) }

    /// Whether it is known of each sent document which client was first.
    var isSettled: Bool {
        documents.allSatisfy {
            !$0.isSent || $0.isAcknowledged && ($0.isEchoed || $0.precedent != nil)
        }
    }
}
