import HTTP
import JSON
import Posix
import Primitives
import TestSupport
import Testing

@Suite struct GuardTests {
    private let routes: [Route] = [
        .get("/files/{path...}", scope: nil, "") { _ in .text("file") },
        .get("/now", scope: .public, "") { _ in .text("now") },
        .get("/past", scope: .read, "") { request in .text(request.client ?? "nobody") },
        Route(.put, "/change", scope: .manage, "") { _ in Response(.noContent) },
    ]

    /// Tokens `wall` (public), `office` (read) and `boss` (manage), with digests from sha256sum(1).
    private static let tokens = """
        { // hashed
          "tokens": [
            {"name": "wall", "scope": "public",
             "sha256": "8965dc76cd22e002f64ee252ea1120972cddb7e49c88791442eb519e34fd5195"},
            {"name": "office", "scope": "read",
             "sha256": "d8e1d0f9606d45a3de7670069fd1c43119b69417be368cf95a88345f541388a6"},
            {"name": "boss", "scope": "manage",
             "sha256": "f928571b8a5427d3f4adaf50e4b50c4955dc3dea0cad2a38ad10c9f4306aa9b6"}
          ]
        }
        """

    private func tokens() throws -> AccessTokens {
        try AccessTokens(parsing: Array(Self.tokens.utf8))
    }

    private func status(
        _ server: TestServer, _ method: String, _ path: String, token: String? = nil,
        fields: String = ""
    ) throws -> RawResponse {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return try server.answer(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(authorization)\(fields)\r\n")
    }

    @Test("a token opens the routes of its scope and of those before it")
    func scopes() throws {
        let tokens = try tokens()
        let server = try TestServer(routes) {
            $0.policy = AccessPolicy(anonymous: .public, tokens: tokens)
        }
        #expect(try status(server, "GET", "/files/a").status == 200)
        #expect(try status(server, "GET", "/now").status == 200)
        #expect(try status(server, "GET", "/past").status == 401)
        #expect(try status(server, "PUT", "/change").status == 401)
        let office = try status(server, "GET", "/past", token: "secret-of-office")
        #expect(office.text == "office")
        let denied = try status(server, "PUT", "/change", token: "secret-of-office")
        #expect(denied.status == 403)
        // RFC 6750, section 3.1.
        #expect(denied.fields["www-authenticate"]?.contains("insufficient_scope") == true)
        #expect(try denied.json()["detail"] != nil)
        #expect(try status(server, "PUT", "/change", token: "secret-of-boss").status == 204)
        #expect(try status(server, "GET", "/past", token: "secret-of-boss").text == "boss")
        let unknown = try status(server, "GET", "/now", token: "guess")
        #expect(unknown.status == 401)
        #expect(unknown.fields["www-authenticate"] == "Bearer error=\"invalid_token\"")
        #expect(server.server.counters.refused[.unauthorized] == 3)
        #expect(server.server.counters.refused[.forbidden] == 1)
    }

    @Test("without rights for all, only routes without a scope are open")
    func closed() throws {
        let server = try TestServer(routes) { $0.policy = AccessPolicy(anonymous: nil) }
        #expect(try status(server, "GET", "/files/a").status == 200)
        #expect(try status(server, "GET", "/now").status == 401)
        // The policy changes with its file.
        server.server.policy = AccessPolicy(anonymous: .public)
        #expect(try status(server, "GET", "/now").status == 200)
    }

    @Test("a token's digest in the file is the only thing that counts")
    func fileFaults() {
        #expect(throws: Faults.self) { try AccessTokens(parsing: Array("{}".utf8)) }
        let bad = #"{"tokens": [{"name": "x", "scope": "all", "sha256": "12"}, {"nam": 1}]}"#
        #expect(throws: Faults.self) { try AccessTokens(parsing: Array(bad.utf8)) }
        let text = String(repeating: "0", count: 64)
        let good = #"{"tokens": [{"name": "x", "scope": "read", "sha256": "\#(text)"}]}"#
        #expect((try? AccessTokens(parsing: Array(good.utf8)))?.tokens.count == 1)
    }

    @Test("two readers can't have the same token: one of their scopes would not count")
    func sameToken() {
        let reader = { (name: String, scope: String) in
            #"{"name": "\#(name)", "scope": "\#(scope)", "sha256": "\#(String(repeating: "0", count: 64))"}"#
        }
        let text = #"{"tokens": [\#(reader("boss", "manage")), \#(reader("wall", "public"))]}"#
        do throws(Faults) {
            _ = try AccessTokens(parsing: Array(text.utf8))
            Issue.record("the file was read")
        } catch {
            #expect(
                error.list.map { $0.line(of: "tokens.json") } == [
                    "tokens.json: /tokens/1/sha256: “wall” has the same token as “boss”; make a token for each reader"
                ])
        }
    }

    @Test(
        "only the server's own names are answered",
        arguments: [
            ("localhost", 200), ("LOCALHOST:8080", 200), ("127.0.0.1:1", 200), ("[::1]:80", 200),
            ("queues.example", 200), ("evil.example", 421), ("localhost.evil.example", 421),
            ("127.0.0.1.evil", 421), ("[::1", 421), ("localhost:x", 421), ("", 421),
        ])
    func hosts(_ host: String, _ status: Int) throws {
        let server = try TestServer(routes) { $0.hosts = ["queues.example"] }
        let response = try server.answer("GET /now HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(response.status == status)
    }

    @Test(
        "a page of another site changes nothing",
        arguments: [
            ("", 204), ("Origin: http://localhost\r\n", 204),
            ("Origin: http://evil.example\r\n", 403), ("Origin: null\r\n", 403),
            ("Sec-Fetch-Site: cross-site\r\n", 403), ("Sec-Fetch-Site: same-site\r\n", 403),
            ("Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost\r\n", 204),
            ("Origin: http://localhost:81\r\n", 403),
        ])
    func origins(_ fields: String, _ expected: Int) throws {
        let server = try TestServer(routes)
        let response = try status(
            server, "PUT", "/change", fields: fields + "Content-Length: 0\r\n")
        #expect(response.status == expected)
        #expect(try status(server, "GET", "/now", fields: fields).status == 200)
    }

    @Test("every response tells browsers what its page may do")
    func securityHeaders() throws {
        let server = try TestServer(routes)
        for target in ["/now", "/nothing", "/..", "/past?%"] {
            let fields = try server.get(target).fields
            let policy = try #require(fields["content-security-policy"], "\(target)")
            #expect(policy.hasPrefix("default-src 'self'"))
            #expect(!policy.contains("unsafe"))
            #expect(fields["x-content-type-options"] == "nosniff")
            #expect(fields["referrer-policy"] == "no-referrer")
            #expect(fields["cross-origin-resource-policy"] == "same-origin")
            #expect(fields["cross-origin-opener-policy"] == "same-origin")
            #expect(fields["cache-control"] == "no-store")
            #expect(fields["access-control-allow-origin"] == nil)
        }
    }

    @Test("an address that sends too many requests waits, and another one does not")
    func rates() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("http")
        let server = try TestServer(routes) {
            $0.listening.append(.unix(path: path, mode: 0o600))
            $0.limits.requestsAtOnce = 5
            $0.limits.requestsPerSecond = 0.5
            $0.limits.trustsLocalClients = false
        }
        let client = try server.connect()
        func ask(_ client: RawClient, _ fields: String = "") throws -> RawResponse {
            client.send("GET /now HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            return try server.answer(to: client)
        }
        for _ in 0..<5 { #expect(try ask(client).status == 200) }
        let refused = try ask(client)
        #expect(refused.status == 429)
        let wait = try #require(refused.fields["retry-after"].flatMap { Int64($0) })
        #expect((1...3).contains(wait))
        let proxy = try server.connect(to: .unix(path: path))
        #expect(try ask(proxy, "X-Forwarded-For: 192.0.2.1\r\n").status == 200)
        server.later = .seconds(wait)
        #expect(try ask(client).status == 200)
        #expect(server.server.counters.refused[.rate] == 1)
    }

    @Test("a proxy of this machine has no limit, its clients have one each")
    func proxy() throws {
        let server = try TestServer(routes) {
            $0.limits.requestsAtOnce = 5
            $0.limits.requestsPerSecond = 0.001
            $0.limits.clientsOfAddress = 1
        }
        let clients = try (0..<3).map { _ in try server.connect() }
        func ask(_ number: Int, _ fields: String) throws -> Int {
            clients[number].send("GET /now HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            return try server.answer(to: clients[number]).status
        }
        for number in 0..<30 { #expect(try ask(number % 3, "") == 200) }
        let forwarded = "X-Forwarded-For: 192.0.2.1, 192.0.2.2\r\n"
        for number in 0..<5 { #expect(try ask(number % 3, forwarded) == 200) }
        #expect(try ask(0, forwarded) == 429)
        // Only the proxy's own entry, the last one, counts.
        #expect(try ask(0, "X-Forwarded-For: 192.0.2.3, 192.0.2.2\r\n") == 429)
        #expect(try ask(0, "X-Forwarded-For: 192.0.2.2, 192.0.2.3\r\n") == 200)
    }
}
