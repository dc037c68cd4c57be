import HTTP
import Posix
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
        func response(_ target: String) throws -> Response? {
            let target = try RequestTarget(parsing: Array(target.utf8))
            let head = RequestHead(.get, target, [:], from: peer)
            return routes.lazy.compactMap { route in
                route.template.match(target.path).map { parameters in
                    route.handler(Request(head, parameters: parameters, at: .now))
                }
            }.first
        }
        let page = try #require(try response("/"))
        guard case .bytes(let bytes) = page.body else {
            Issue.record("the page is no file")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("<p><table"))
        #expect(try response("/page/main.js")?.status == .ok)
        for path in ["/page/", "/page/index.html"] {
            #expect(try response(path)?.status == .notFound, "\(path)")
        }
    }
}
