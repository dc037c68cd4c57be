import CommandSupport
import Contract
import Subscriber

extension Campaign {
    /// Whose message it is; `nil` for what is no gateway's.
    func gateway(of topic: String) -> (GatewayName, Topics.Kind)? {
        guard let (topics, kind) = Topics.parse(topic, root: order.root) else { return nil }
        return (GatewayName(site: topics.site, id: topics.gateway), kind)
    }

    /// Takes a layer's document; `nil` for the empty message that removes it.
    mutating func onDocument(
        _ document: RetainedDocument?, of name: LayerName, isRetained: Bool
    ) {
        seen[name] = document
        guard let edition = editions?[name] else { return }
        if edition.isShown(as: document) {
            echoed.insert(name)
            return
        }
        // What stood before us comes late, or once more from a broker that was restarted: nobody's doing. An empty
        // message is never retained: somebody has just removed the document.
        let isFromBefore = document == edition.base && (isRetained || !echoed.contains(name))
        if !isFromBefore || document == nil { conflict(over: name, document) }
    }

    /// Ends it because somebody else is at the same document.
    mutating func conflict(over name: LayerName, _ document: RetainedDocument?) {
        let topic = name.topic(root: order.root)
        let what =
            switch document {
            case nil: "somebody removed the document of \(topic) meanwhile"
            case let document? where document.version == nil:
                "somebody else published a document on \(topic) meanwhile, which can't be read"
            case let document?:
                "somebody else published version \(document.version ?? 0) on \(topic) meanwhile"
            }
        tell(.note("\(what); look at it, and tune again"))
        if let version = document?.version, version >= editions?[name]?.version ?? 0 {
            overtaken[name] = version
        }
        end(.failed)
    }

    /// What is retained is known: makes the next versions, and begins to publish.
    mutating func decide(at now: Int64) {
        guard let made = makeEditions() else { return }
        editions = made
        for wish in order.wishes { made[wish.name].map { tell(.edition($0)) } }
        decidedAt = now
        noteUnknownPlaces()
        guard !order.isDryRun else {
            tell(.note("nothing is published: this is a dry run"))
            return end(.done)
        }
        roster.age()
        unpublished = changes.map(\.name)
        deadline = now + order.timeout
        for name in roster.gateways.keys.sorted() { judge(name) }
        endIfDone()
    }

    /// Every document's flaws are told before any is published.
    mutating func makeEditions() -> [LayerName: Edition]? {
        var made: [LayerName: Edition] = [:]
        var worst: ExitCode?
        for wish in order.wishes {
            let highest = roster.highestVersion(of: wish.name)
            guard !order.isRemoving else {
                made[wish.name] = Edition(
                    removing: wish.name, base: seen[wish.name], highest: highest?.version)
                continue
            }
            do throws(Edition.Flaw) {
                made[wish.name] = try Edition(
                    of: wish.name, base: seen[wish.name], wishes: wish.assignments,
                    highest: highest?.version, isReplacing: order.isReplacing)
            } catch {
                worst = worst == .wrongUse ? .wrongUse : error.exitCode
                let topic = wish.name.topic(root: order.root)
                error.sentences(topic: topic, highest?.gateway).forEach { tell(.note($0)) }
            }
        }
        if let worst { end(worst) }
        return worst == nil ? made : nil
    }

    /// After a new connection: what the broker does not have any more is published again.
    mutating func resume() {
        for edition in changes where exit == nil {
            // A removal leaves nothing that could show that it was taken; once more does no harm.
            if !edition.isRemoval, edition.isShown(as: seen[edition.name]) {
                echoed.insert(edition.name)
                // The acknowledgement went with the connection.
                acknowledged.insert(edition.name)
            } else {
                // It may have been taken, and be lost since.
                acknowledged.remove(edition.name)
                echoed.remove(edition.name)
                unpublished.append(edition.name)
            }
        }
        endIfDone()
    }
}
