import MQTT

/// Results on their way to the broker.
///
/// A retained result replaces an older one of its topic. Others wait in order within a bound; beyond it the oldest go,
/// since the API still has them.
struct PublicationQueue {
    private var waiting: [Publication] = []
    private(set) var dropped = 0

    static let most = 2000

    mutating func add(_ publication: Publication) {
        if publication.isRetained,
            let index = waiting.firstIndex(where: { $0.topic == publication.topic })
        {
            waiting[index] = publication
            return
        }
        if waiting.count >= Self.most {
            waiting.removeFirst()
            dropped += 1
        }
        waiting.append(publication)
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Hands out publications, as long as `send` takes them.
    mutating func send(_ send: (Publication) -> Bool) {
        let count = waiting.prefix { send($0) }.count
        waiting.removeFirst(count)
    }
}
