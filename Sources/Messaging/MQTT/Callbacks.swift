/// What libmosquitto's callbacks tell, kept until the call that made them returns.
///
/// Callbacks run inside the library and under its locks: they copy, and leave.
final class Callbacks {
    /// One callback's news, in the library's own numbers.
    enum News {
        case answered(code: CInt, BrokerLimits)
        case acknowledged(mid: CInt, code: CInt)
        case subscribed(mid: CInt, code: CInt)
        case message(Message)
        case oversized(topic: String, bytes: Int)
        case disconnected(code: CInt)
    }

    private var news: [News] = []
    /// The library's error lines, the first few: they come before and during a failure.
    private(set) var complaints: [String] = []
    /// What OpenSSL held against the broker's certificate.
    private(set) var certificateObjection: String?
    let maximumPayload: Int

    private static let mostComplaints = 8

    init(maximumPayload: Int) { self.maximumPayload = maximumPayload }

    func add(_ item: News) { news.append(item) }

    func add(complaint: String, certificateObjection objection: String?) {
        if complaints.count < Self.mostComplaints { complaints.append(complaint) }
        if let objection { certificateObjection = objection }
    }

    func take() -> [News] {
        defer { news.removeAll(keepingCapacity: true) }
        return news
    }
}
