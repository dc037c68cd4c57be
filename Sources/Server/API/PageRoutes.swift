import HTTP
import JSON
import Posix

/// The files of the page. `/` has a table of the queues for browsers without JavaScript.
struct PageRoutes {
    private let index: String
    private let files: StaticFiles
    private unowned let state: ServerState

    private static let charts = "/usr/share/javascript/dygraphs"
    private static let place = "<!-- queues -->"

    init(_ folder: String, _ state: ServerState) {
        var files = StaticFiles()
        files.add(folder: folder)
        // The folder has a link to itself.
        for name in ["dygraph.css", "dygraph.min.js"] {
            files.add(file: "\(Self.charts)/\(name)", as: "dygraphs/\(name)")
        }
        self.files = files
        self.state = state
        index = Self.text(of: folder + "/index.html")
    }

    var routes: [Route] {
        let (index, files, state) = (index, files, state)
        return [
            .get("/", scope: nil, "The page") { _ in
                guard !index.isEmpty else {
                    return Problem(
                        .notFound, "The page is not installed; start the server with --page FOLDER."
                    ).response
                }
                let queues = state.sites.flatMap(\.states.ordered)
                return .text(
                    index.replacing(Self.place, with: Self.table(queues)), type: "text/html")
            },
            .get("/page/{path...}", scope: nil, "A file of the page") { request in
                files.response(request.parameters["path"] ?? "", for: request)
            },
        ]
    }

    /// A plain table of all queues.
    static func table(_ queues: [JSON]) -> String {
        let rows = queues.map { document -> String in
            let length = document["length"]
            let wait = document["wait"]
            let cells = [
                text(document["state"]),
                range(length?["people"], length?["low"], length?["high"], text),
                range(wait?["ms"], wait?["lowMs"], wait?["highMs"], minutes),
            ]
            return "<tr><td>\(text(document["site"]))</td>"
                + "<th scope=\"row\">\(text(document["queue"]))</th>"
                + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
        }
        let head = ["Site", "Queue", "State", "People", "Wait in minutes"]
        return "<table><caption>\(caption)</caption><thead><tr>"
            + head.map { "<th scope=\"col\">\($0)</th>" }.joined()
            + "</tr></thead><tbody>" + rows.joined() + "</tbody></table>"
    }

    private static let caption = "Queues now. Load this page again for newer numbers."

    /// `6 (4 to 9)`.
    private static func range(
        _ value: JSON?, _ low: JSON?, _ high: JSON?, _ text: (JSON?) -> String
    ) -> String {
        value == nil ? "unknown" : "\(text(value)) (\(text(low)) to \(text(high)))"
    }

    /// Names have no characters that HTML needs to escape (`Topics.isName`).
    private static func text(_ value: JSON?) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\((number * 10).rounded() / 10)"
        default: "unknown"
        }
    }

    private static func minutes(_ value: JSON?) -> String {
        guard case .integer(let milliseconds)? = value else { return "unknown" }
        return "\((Double(milliseconds) / 6000).rounded() / 10)"
    }

    private static func text(of path: String) -> String {
        guard let bytes = try? File.contents(of: path, maxBytes: StaticFiles.maxFileBytes) else {
            return ""
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
