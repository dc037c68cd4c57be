import Contract
import HTTP
import Primitives
import ServerConfiguration

extension Request {
    /// A whole number of the query; `nil` where it is absent.
    func number(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = query(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw Problem(
                .badRequest,
                "\(name) must be a whole number of \(range.lowerBound) to \(range.upperBound), "
                    + "not \(text.quotedForPeople).")
        }
        return number
    }

    private func time(_ name: String) throws(Problem) -> UnixTime? {
        guard let text = query(name) else { return nil }
        guard let parameter = TimeParameter(text) else {
            throw Problem(
                .badRequest,
                "\(name) must be \(TimeParameter.forms), not \(text.quotedForPeople).")
        }
        return parameter.time
    }

    /// Whether the answer is a table: by the query's `format`, else by the header Accept.
    func wantsTable() throws(Problem) -> Bool {
        guard query("format") == nil else {
            return try word("format", of: Endpoint.formats) == "csv"
        }
        return quality(of: "text/csv") > quality(of: "application/json")
    }

    /// How much the client wants a media type, from 0 to 1000 (RFC 9110, section 12.5.1); 0 if it does not name it.
    private func quality(of type: String) -> Int {
        let group = String(type.prefix { $0 != "/" }) + "/*"
        let ranges: [[String]] = headers.all("accept").flatMap { field in
            field.lowercased().filter { $0 != " " && $0 != "\t" }.split(separator: ",").map {
                $0.split(separator: ";").map(String.init)
            }
        }
        for name in [type, group, "*/*"] {
            guard let range = ranges.first(where: { $0.first == name }) else { continue }
            let weight = range.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            guard let weight = weight.flatMap({ Double($0) }), weight.isFinite else { return 1000 }
            return Int(min(max(weight, 0), 1) * 1000)
        }
        return 0
    }

    /// A word of the query, or the first one where it is absent.
    func word(_ name: String, of words: [String]) throws(Problem) -> String {
        guard let text = query(name) else { return words[0] }
        guard words.contains(text) else {
            throw Problem(
                .badRequest,
                "\(name) must be \(words.joined(separator: " or ")), not \(text.quotedForPeople).")
        }
        return text
    }

    /// The times `from` and `to` of the query. Without them, the time `usual` before now.
    func span(
        now: UnixTime, usual: Duration, atMost longest: Duration,
        remedy: String = "ask for parts"
    ) throws(Problem) -> Range<UnixTime> {
        let to = try time("to") ?? now
        let from = try time("from") ?? max(0, to - usual)
        guard from < to else {
            throw Problem(.badRequest, "from must be before to.")
        }
        guard to - from <= longest else {
            throw Problem(
                .badRequest,
                "from and to must be at most \(longest.wholeSeconds / 86_400) days apart; \(remedy)."
            )
        }
        return from..<to
    }
}

extension ServerState {
    /// The site of the path.
    func site(_ request: Request) throws(Problem) -> Site {
        guard let name = request.parameters["site"], let site = site(named: name) else {
            throw Problem(
                .notFound, "The server measures no site of this name; /api/v1/sites lists them.")
        }
        return site
    }

    /// The site and the queue of the path.
    func queue(_ request: Request) throws(Problem) -> (site: Site, queue: String) {
        let (site, queue) = try item(.queues, request)
        return (site, queue)
    }

    /// The site and the item of the path.
    func item(
        _ kind: PresentKind, _ request: Request
    ) throws(Problem) -> (site: Site, item: String) {
        let site = try site(request)
        let name = kind.parameters.compactMap { request.parameters[$0] }.joined(separator: "/")
        guard kind.items(site.listed).contains(name) else {
            let place =
                kind.isPublic ? "/api/v1/sites" : "/api/v1/sites/\(site.layout.site)/\(kind.list)"
            throw Problem(
                .notFound,
                "The site has no \(kind.kind.name) of this name; \(place) lists the \(kind.list)."
            )
        }
        return (site, name)
    }
}
