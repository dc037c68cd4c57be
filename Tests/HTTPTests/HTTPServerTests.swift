import Glibc
import HTTP
import JSON
import Posix
import Primitives
import TestSupport
import Testing

@Suite struct HTTPServerTests {
    private let routes: [Route] = [
        .get("/hello/{name}", scope: .public, "") { request in
            .text("hello \(request.parameters["name"] ?? "?") \(request.query("q") ?? "")")
        },
        .get("/large", scope: .public, "") { _ in
            Response(.ok, body: [UInt8](repeating: 0x61, count: 3_000_000))
        },
        Route(.put, "/echo", scope: .manage, "") { request in
            Response(.ok, body: request.body)
        },
        .get("/peer", scope: .public, "") { .text($0.head.peer.description) },
    ]

    @Test("a request gets its route's answer")
    func aRequestGetsItsRoutesAnswer() throws {
        let server = try TestServer(routes)
        let response = try server.get("/hello/a%20b?q=1")
        #expect(response.status == 200)
        #expect(response.text == "hello a b 1")
        #expect(response.fields["content-type"] == "text/plain; charset=utf-8")
        #expect(try server.get("/peer").text == "127.0.0.1")
        #expect(server.server.counters.routes[0].byClass == [0, 1, 0, 0, 0])
    }

    @Test("requests in pieces and in a row are answered in order", arguments: [1, 7, 10_000])
    func requestsInPiecesAndInARowAreAnsweredInOrder(_ piece: Int) throws {
        let server = try TestServer(routes)
        let client = try server.connect()
        let requests = (0..<20).map { "GET /hello/\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
        var bytes = Array(requests.joined().utf8)[...]
        while !bytes.isEmpty {
            client.send(Array(bytes.prefix(piece)))
            bytes = bytes.dropFirst(piece)
            server.server.service(at: .now)
        }
        for number in 0..<20 {
            #expect(try server.answer(to: client).text == "hello \(number) ")
        }
        #expect(server.server.counters.clients == 1)
    }

    @Test("HEAD gets the headers of GET")
    func headGetsTheHeadersOfGET() throws {
        let server = try TestServer(routes)
        let client = try server.connect()
        client.send("HEAD /hello/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.serve { client.text.contains("\r\n\r\n") }
        #expect(client.text.lowercased().contains("content-length: 8\r\n"))
        #expect(client.text.hasSuffix("\r\n\r\n"))
        client.send("GET /hello/b HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.serve { client.text.hasSuffix("hello b ") }
    }

    @Test("a large response arrives whole")
    func aLargeResponseArrivesWhole() throws {
        let server = try TestServer(routes)
        #expect(try server.get("/large").body.count == 3_000_000)
        #expect(server.server.counters.bytes == 3_000_000)
    }

    @Test(
        "a long answer is made in parts, as its client takes it, and other clients are served between them"
    )
    func aLongAnswerIsMadeInParts() throws {
        var made = 0
        let long = Route.get("/long", scope: nil, "") { _ in
            (try? Response.parts(type: "text/plain") { () throws(Problem) in
                made += 1
                return made > 100 ? nil : Array(repeating: UInt8(ascii: "x"), count: 100_000)
            }) ?? .text("")
        }
        let server = try TestServer([long] + routes)
        let client = try server.connect()
        client.send("GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.serve { made > 1 }
        #expect(try server.get("/hello/a").status == 200)
        #expect(made < 100)
        try server.serve { client.received.suffix(5) == Array("0\r\n\r\n".utf8)[...] }
        let (response, _) = try #require(RawResponse.parse(client.received, isEnd: false))
        #expect(response.body.count == 10_000_000)
        #expect(response.fields["content-type"] == "text/plain")
        #expect(server.server.counters.bytes > 10_000_000)
    }

    @Test("a fault of the first part has a status; one of a later part ends the connection")
    func aFaultOfAPart() throws {
        func route(_ path: String, faultyPart: Int) -> Route {
            .get(path, scope: nil, "") { _ in
                var made = 0
                do throws(Problem) {
                    return try .parts(type: "text/plain") { () throws(Problem) in
                        made += 1
                        if made == faultyPart { throw Problem(.serviceUnavailable, "No store.") }
                        return Array("part".utf8)
                    }
                } catch {
                    return error.response
                }
            }
        }
        let server = try TestServer([
            route("/first", faultyPart: 1), route("/later", faultyPart: 3),
        ])
        #expect(try server.get("/first").status == 503)
        let client = try server.connect()
        client.send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.serve { client.isClosed }
        // The last chunk, of no bytes, is missing (RFC 9112, section 7.1).
        #expect(!client.text.hasSuffix("0\r\n\r\n"))
    }

    @Test("faults are problem documents")
    func faultsAreProblemDocuments() throws {
        let server = try TestServer(routes)
        let missing = try server.get("/nothing/here")
        #expect(missing.status == 404)
        #expect(missing.fields["content-type"] == "application/problem+json")
        let json = try missing.json()
        // RFC 9457, section 3.1.
        #expect(json["status"] == 404)
        #expect(json["title"] == "Not Found")
        #expect(json["type"] == "about:blank")
        #expect(json["instance"] == "/nothing/here")
        let wrong = try server.get("/echo")
        #expect(wrong.status == 405)
        #expect(wrong.fields["allow"] == "OPTIONS, PUT")
        let unknown = try server.answer("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(unknown.status == 501)
        #expect(try server.get("/a/../b").status == 400)
        #expect(try server.get("/%00").status == 400)
        let options = try server.answer("OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(options.status == 204)
        #expect(options.fields["allow"] == "OPTIONS, PUT")
    }

    @Test("a body arrives whole up to the limit")
    func aBodyArrivesWholeUpToTheLimit() throws {
        let server = try TestServer(routes) { $0.limits.bodyBytes = 100_000 }
        let body = String(repeating: "b", count: 100_000)
        let head = "PUT /echo HTTP/1.1\r\nHost: localhost\r\n"
        #expect(try server.answer(head + "Content-Length: 100000\r\n\r\n" + body).text == body)
        let chunked = "Transfer-Encoding: chunked\r\n\r\n186a0\r\n\(body)\r\n0\r\n\r\n"
        #expect(try server.answer(head + chunked).text == body)
        #expect(try server.answer(head + "Content-Length: 0\r\n\r\n").text == "")
        #expect(try server.answer(head + "Content-Length: 100001\r\n\r\n").status == 413)
        let long = "Transfer-Encoding: chunked\r\n\r\n186a1\r\n\(body)b\r\n0\r\n\r\n"
        let refused = try server.answer(head + long)
        #expect(refused.status == 413)
        #expect(refused.fields["connection"]?.lowercased() == "close")
        #expect(server.server.counters.refused[.size] == 2)
    }

    @Test("a client that expects 100 gets it before its body")
    func aClientThatExpects100GetsItBeforeItsBody() throws {
        let server = try TestServer(routes)
        let client = try server.connect()
        client.send(
            "PUT /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        )
        try server.serve { client.text.hasPrefix("HTTP/1.1 100 ") }
        client.send("ok")
        #expect(try server.answer(to: client).text == "ok")
    }

    @Test("a Unix socket serves, and its proxy names the client")
    func aUnixSocketServesAndItsProxyNamesTheClient() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("http")
        // What a killed server leaves behind.
        _ = try Sockets.listen(on: .unix(path: path))
        let server = try TestServer(routes) {
            $0.listening = [.unix(path: path, mode: 0o660)]
        }
        #expect(try FilePermissions(of: path).mode & 0o777 == 0o660)
        let client = try server.connect(to: .unix(path: path))
        let request = "GET /peer HTTP/1.1\r\nHost: localhost\r\n"
        client.send(request + "\r\n")
        #expect(try server.answer(to: client).text == "unix")
        client.send(request + "X-Forwarded-For: 198.51.100.1, 2001:db8::7\r\n\r\n")
        #expect(try server.answer(to: client).text == "2001:db8::7")
    }

    @Test("the deadline ends half a request")
    func theDeadlineEndsHalfARequest() throws {
        let server = try TestServer(routes)
        let client = try server.connect()
        client.send("GET /hello/a HTTP/1.1\r\nHost: loc")
        try server.serve { server.server.counters.clients == 1 }
        server.later = .seconds(19)
        client.send("al")
        try server.step()
        #expect(!client.isClosed)
        server.later = .seconds(21)
        try server.serve { client.isClosed && server.server.counters.clients == 0 }
    }

    @Test("a socket of the service manager serves")
    func inherited() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("http")
        let listener = try Sockets.listen(on: .unix(path: path))
        let number = dup(listener.rawValue)
        let server = try TestServer(routes) { $0.listening = [.inherited(descriptor: number)] }
        let client = try server.connect(to: .unix(path: path))
        client.send("GET /hello/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try server.answer(to: client).text == "hello a ")
    }

    @Test("a place in use is named in the error")
    func inUse() throws {
        let server = try TestServer(routes)
        #expect {
            try TestServer(routes) {
                $0.listening = [.tcp(host: "127.0.0.1", port: server.port)]
            }
        } throws: { error in
            "\(error)".contains("127.0.0.1:\(server.port)") && "\(error)".contains("in use")
        }
    }
}
