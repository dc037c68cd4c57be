import HTTP
import TestSupport
import Testing

@Suite struct StaticFilesTests {
    private func server() throws -> TestServer {
        let folder = try TemporaryFolder()
        try folder.write("<p>", to: "index.html")
        try folder.write("let x = 1", to: "app.js")
        try folder.write("secret", to: "notes.key")
        try folder.write("hidden", to: ".hidden.js")
        try Tool.run("gzip", ["-k", folder.file("app.js")])
        try Tool.run("mkdir", [folder.file("icons")])
        try folder.write("<svg/>", to: "icons/a.svg")
        var files = StaticFiles()
        files.add(folder: folder.path)
        #expect(files.names == ["app.js", "icons/a.svg", "index.html"])
        return try TestServer([
            .get("/{path...}", scope: nil, "") { [files] in
                files.response($0.parameters["path"] ?? "", for: $0)
            }
        ])
    }

    @Test("a file has its type, and an empty path is index.html")
    func types() throws {
        let server = try server()
        let page = try server.get("/")
        #expect(page.text == "<p>")
        #expect(page.fields["content-type"] == "text/html; charset=utf-8")
        #expect(try server.get("/icons/a.svg").fields["content-type"] == "image/svg+xml")
        #expect(
            try server.get("/app.js").fields["content-type"]?.hasPrefix("text/javascript") == true)
        for target in ["/notes.key", "/.hidden.js", "/icons", "/x.js", "/app.js/", "/app.js.gz"] {
            #expect(try server.get(target).status == 404, "\(target)")
        }
    }

    @Test("a compressed file is what gzip made")
    func compression() throws {
        let server = try server()
        let plain = try server.get("/app.js")
        #expect(plain.text == "let x = 1")
        #expect(plain.fields["vary"] == "accept-encoding")
        let compressed = try server.get("/app.js", "Accept-Encoding: br, gzip\r\n")
        #expect(compressed.fields["content-encoding"] == "gzip")
        #expect(compressed.body.starts(with: [0x1f, 0x8b]))
        #expect(compressed.fields["etag"] != plain.fields["etag"])
        for field in ["gzip;q=0", "br", "*;q=0", "identity"] {
            let other = try server.get("/app.js", "Accept-Encoding: \(field)\r\n")
            #expect(other.fields["content-encoding"] == nil, "\(field)")
        }
        #expect(
            try server.get("/app.js", "Accept-Encoding: *\r\n").fields["content-encoding"] == "gzip"
        )
    }

    @Test("a compressed file elsewhere is used while it has the same content")
    func compressedElsewhere() throws {
        let folder = try TemporaryFolder()
        try folder.write("let x = 1", to: "app.js")
        try Tool.run("gzip", ["-k", folder.file("app.js")])
        for text in ["let x = 1", "let x = 2", "let x = 12"] {
            try folder.write(text, to: "app.js")
            try Tool.run("mv", [folder.file("app.js"), folder.file("charts.js")])
            var files = StaticFiles()
            files.add(
                file: folder.file("charts.js"), as: "charts.js",
                compressed: folder.file("app.js.gz"))
            let server = try TestServer([
                .get("/charts.js", scope: nil, "") { [files] in files.response("charts.js", for: $0)
                }
            ])
            let answer = try server.get("/charts.js", "Accept-Encoding: gzip\r\n")
            #expect((answer.fields["content-encoding"] == "gzip") == (text == "let x = 1"))
        }
    }

    @Test("a client that has the content gets 304 without it")
    func notModified() throws {
        let server = try server()
        let tag = try #require(server.get("/app.js").fields["etag"])
        #expect(tag.hasPrefix("\""))
        for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let response = try server.get("/app.js", "If-None-Match: \(field)\r\n")
            #expect(response.status == 304, "\(field)")
            #expect(response.fields["etag"] == tag)
            // RFC 9110, section 8.6: none, or the one of the whole content.
            #expect(["9", nil].contains(response.fields["content-length"]))
        }
        #expect(try server.get("/app.js", "If-None-Match: \"x\"\r\n").text == "let x = 1")
        let client = try server.connect()
        let request = "GET /app.js HTTP/1.1\r\nHost: localhost\r\n"
        client.send(request + "If-None-Match: \(tag)\r\n\r\n" + request + "\r\n")
        #expect(try server.answer(to: client).status == 304)
        #expect(try server.answer(to: client).text == "let x = 1")
    }

    @Test("a link to its own folder ends")
    func cycle() throws {
        let folder = try TemporaryFolder()
        try folder.write("1", to: "a.js")
        try Tool.run("ln", ["-s", ".", folder.file("self")])
        var files = StaticFiles()
        #expect(files.add(folder: folder.path) == 5)
        #expect(files.names.last == "self/self/self/self/a.js")
    }
}
