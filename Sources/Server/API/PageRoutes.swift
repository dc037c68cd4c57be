import HTTP
import JSON
import Posix
import ServerConfiguration

/// The files of the page. `/` has a table of the queues for browsers without JavaScript.
struct PageRoutes {
    private let index: String
    private let files: StaticFiles
    private unowned let state: ServerState

    static let indexName = "index.html"
    private static let charts = "/usr/share/javascript/dygraphs"
    private static let place = "<!-- queues -->"

    /// Whether a folder has the page.
    static func isPage(_ folder: String) -> Bool { File.exists("\(folder)/\(indexName)") }

    init(_ folder: String, _ state: ServerState) {
        var files = StaticFiles()
        files.add(folder: folder)
        // The folder has a link to itself.
        for name in ["dygraph.css", "dygraph.min.js"] {
            // Debian's package has no compressed files: Sightline's package brings them.
            files.add(
                file: "\(Self.charts)/\(name)", as: "dygraphs/\(name)",
                compressed: "\(folder)/dygraphs/\(name).gz")
        }
        // Its table is filled at `/` only.
        index = files.remove(Self.indexName).map { String(decoding: $0, as: UTF8.self) } ?? ""
        self.files = files
        self.state = state
    }

    /// Places change all the time: the API has them.
    private static func kinds(for scope: Scope?) -> [PresentKind] {
        PresentKind.named + ((scope ?? .public) >= .read ? [.beacons] : [])
    }

    var routes: [Route] {
        let (index, files, state) = (index, files, state)
        return [
            .get("/", scope: nil, "The page") { request in
                guard !index.isEmpty else {
                    return Problem(
                        .notFound, "The page is not installed; start the server with --page FOLDER."
                    ).response
                }
                let table =
                    request.scope == nil
                    ? PresentTable.locked
                    : Self.kinds(for: request.scope).map { kind in
                        let documents = state.sites.flatMap { $0.states.ordered(kind) }
                        let isShown =
                            state.sites.isEmpty
                            || state.sites.contains { !kind.items($0.listed).isEmpty }
                        return isShown ? PresentTable(kind.kind, documents).html : ""
                    }.joined()
                return .text(index.replacing(Self.place, with: table), type: "text/html")
            },
            .get("/page/{path...}", scope: nil, "A file of the page") { request in
                files.response(request.parameters["path"] ?? "", for: request)
            },
        ]
    }
}
