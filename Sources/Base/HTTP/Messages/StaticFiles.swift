import Posix
import Primitives

/// A page's files, read into memory once: a request's path is only a key, and never opens a file.
package struct StaticFiles: Sendable {
    private struct File: Sendable {
        let type: String
        let plain: Content
        /// Compressed by the package's build: `app.js.gz` beside `app.js`.
        let compressed: Content?
    }

    private struct Content: Sendable {
        let bytes: [UInt8]
        let tag: EntityTag
    }

    /// By path: `app.js`, `vendor/dygraph.min.js`.
    private var files: [String: File] = [:]

    /// A file that is larger is no part of a page.
    static let maxFileBytes = 4_194_304

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png",
        "ico": "image/x-icon", "webmanifest": "application/manifest+json",
        "txt": "text/plain; charset=utf-8", "woff2": "font/woff2",
    ]

    package init() {}

    /// The names of all files, sorted.
    package var names: [String] { files.keys.sorted() }

    /// A folder may have a link to itself.
    private static let maxDepth = 4

    /// Adds the files of a folder and of its folders, under `prefix`. Files of unknown types are left out.
    ///
    /// - Returns: the number of files.
    @discardableResult
    package mutating func add(folder: String, under prefix: String = "") -> Int {
        guard prefix.count(where: { $0 == "/" }) <= Self.maxDepth else { return 0 }
        var count = 0
        for name in Folder.names(in: folder) where !name.hasPrefix(".") {
            let path = folder + "/" + name
            if (try? FilePermissions(of: path))?.isFolder == true {
                count += add(folder: path, under: prefix + name + "/")
            } else if add(file: path, as: prefix + name) {
                count += 1
            }
        }
        return count
    }

    /// Adds one file; false when it is unreadable, too large or of an unknown type.
    ///
    /// - Parameter compressed: the compressed file, `app.js.gz` beside `app.js` by default. It is used if it has the same content.
    @discardableResult
    package mutating func add(
        file path: String, as name: String, compressed: String? = nil
    ) -> Bool {
        guard let type = Self.type(of: name), let bytes = Self.read(path) else { return false }
        let found = Self.read(compressed ?? path + ".gz").flatMap { gzip in
            GzipTrailer(compressed: gzip) == GzipTrailer(of: bytes) ? gzip : nil
        }
        add(name, type: type, bytes, compressed: found)
        return true
    }

    package mutating func add(
        _ name: String, type: String, _ bytes: [UInt8], compressed: [UInt8]? = nil
    ) {
        files[name] = File(
            type: type, plain: Content(bytes: bytes, tag: EntityTag(of: bytes)),
            compressed: compressed.map {
                Content(bytes: $0, tag: EntityTag(of: $0, suffix: "-gz"))
            })
    }

    /// Removes a file, and returns its content.
    package mutating func remove(_ name: String) -> [UInt8]? {
        files.removeValue(forKey: name)?.plain.bytes
    }

    /// The file that a route's parameter names, as the client accepts it; an empty name is `index.html`.
    package func response(_ name: String, for request: Request) -> Response {
        let name = name.isEmpty || name.hasSuffix("/") ? name + "index.html" : name
        guard let file = files[name] else {
            return Problem(.notFound, "The page has no file of this name; check its spelling.")
                .at(request.path).response
        }
        let isCompressed = file.compressed != nil && Self.acceptsGzip(request.headers)
        let content = isCompressed ? file.compressed ?? file.plain : file.plain
        var response = Response(
            .ok,
            // The browser asks each time, and gets 304 while the file is the same.
            headers: ["content-type": file.type, "cache-control": "no-cache"], body: content.bytes)
        if isCompressed { response.headers.add("content-encoding", "gzip") }
        if file.compressed != nil { response.headers.add("vary", "accept-encoding") }
        return response.tagged(content.tag, for: request)
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let bytes = try? Posix.File.contents(of: path, maxBytes: maxFileBytes),
            bytes.count <= maxFileBytes
        else { return nil }
        return bytes
    }

    private static func type(of name: String) -> String? {
        name.split(separator: ".").last.flatMap { types[String($0)] }
    }

    /// RFC 9110, section 12.5.3: `gzip` or `*`, unless its weight is 0.
    static func acceptsGzip(_ headers: Headers) -> Bool {
        let codings = headers.all("accept-encoding").joined(separator: ",").lowercased()
            .split(separator: ",").map { $0.split(separator: ";").map { $0.filter { $0 != " " } } }
        func weight(of coding: String) -> Double? {
            guard let found = codings.first(where: { $0.first == coding }) else { return nil }
            let weight = found.dropFirst().first { $0.hasPrefix("q=") }
            return weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
        }
        return (weight(of: "gzip") ?? weight(of: "*") ?? 0) > 0
    }
}

/// A strong entity tag, made of the content (RFC 9110, section 8.8.3).
package struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// With its quotes.
    package let description: String

    /// - Parameter suffix: what tells representations of one content apart, e.g. `-gz`.
    package init(of content: [UInt8], suffix: String = "") {
        let digest = SHA256Digest(of: content).description.prefix(32)
        description = "\"\(digest)\(suffix)\""
    }

    /// Whether the value of `If-None-Match` names this tag (section 13.1.2; weak comparison).
    package func matches(_ field: String) -> Bool {
        field.split(separator: ",").contains { candidate in
            let candidate = candidate.drop { $0 == " " || $0 == "\t" }
            let tag = candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate
            let end = tag.lastIndex { $0 != " " && $0 != "\t" }
            return end.map { tag[...$0] == "*" || tag[...$0] == description } ?? false
        }
    }
}

extension Response {
    /// The response with an entity tag; 304 without a body when the client has this content already.
    package func tagged(_ tag: EntityTag, for request: Request) -> Response {
        var response = adding("etag", tag.description)
        let isRead = request.method == .get || request.method == .head
        if isRead, status == .ok, request.headers.all("if-none-match").contains(where: tag.matches)
        {
            response.status = .notModified
        }
        return response
    }
}

/// The end of a file in gzip's format, which identifies what it has compressed (RFC 1952, section 2.3.1).
struct GzipTrailer: Equatable {
    /// CRC-32 of the content.
    private let checksum: UInt32
    /// The content's length modulo 2³².
    private let length: UInt32

    private static let size = 8

    /// Reads the trailer; `nil` if there is none.
    init?(compressed bytes: [UInt8]) {
        guard bytes.count > Self.size else { return nil }
        let words = [Self.size, Self.size / 2].map { place in
            bytes.suffix(place).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        (checksum, length) = (words[0], words[1])
    }

    /// The trailer of a compressed form of `content`.
    init(of content: [UInt8]) {
        checksum = ~content.reduce(~0) { sum, byte in
            sum >> 8 ^ Self.table[Int((sum ^ UInt32(byte)) & 0xff)]
        }
        length = UInt32(truncatingIfNeeded: content.count)
    }

    /// RFC 1952, section 8.
    private static let table = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
}
