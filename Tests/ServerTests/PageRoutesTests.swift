import HTTP
import Posix
import TestSupport
import Testing

@testable import Server

@Suite("addresses of the page")
struct PageRoutesTests {
    private let files: QueueServer

    init() throws {
        files = try QueueServer()
        try files.folder.write("<p><!-- queues --></p>", to: "index.html")
        try files.folder.write("let x = 1", to: "main.js")
    }

    @Test("the template is at / only, with its table; the folder of the files has none")
    func template() throws {
        let store = files.store()
        defer { store.close() }
        let state = ServerState(session: .begin(), sites: [], store: store)
        let routes = PageRoutes(files.folder.path, state).routes
        let peer = try #require(PeerAddress("127.0.0.1"))
        func response(_ target: String, scope: Scope? = .public) throws -> Response? {
            let target = try RequestTarget(parsing: Array(target.utf8))
            let head = RequestHead(.get, target, [:], from: peer)
            return routes.lazy.compactMap { route in
                route.template.match(target.path).map { parameters in
                    route.handler(Request(head, parameters: parameters, scope: scope, at: .now))
                }
            }.first
        }
        func page(_ scope: Scope?) throws -> String {
            guard case .bytes(let bytes) = try #require(try response("/", scope: scope)).body
            else { throw TestFailure("the page is no file") }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try page(.public).contains("<table"))
        // Where a token is needed, a browser sends none for the page itself.
        #expect(try !page(nil).contains("<table"))
        #expect(try page(nil).contains("only with a token"))
        #expect(try response("/page/main.js")?.status == .ok)
        for path in ["/page/", "/page/index.html"] {
            #expect(try response(path)?.status == .notFound, "\(path)")
        }
    }
}
