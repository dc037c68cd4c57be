import HTTP
import Primitives
import Testing

@Suite struct RequestTargetTests {
    @Test(
        "a path is split before it is decoded",
        arguments: [
            ("/", [""]),
            ("/api/v1/sites", ["api", "v1", "sites"]),
            ("/a%20b/c%C3%A9", ["a b", "cé"]),
            // RFC 3986, section 3.3: a plus is a plus in a path.
            ("/a+b/", ["a+b", ""]),
            ("//x", ["", "x"]),
            ("http://localhost:80/a?b", ["a"]),
            ("*", [""]),
        ])
    func aPathIsSplitBeforeItIsDecoded(_ text: String, _ path: [String]) throws {
        #expect(try RequestTarget(parsing: Array(text.utf8)).path == path)
    }

    @Test(
        "an unsafe target is refused",
        arguments: [
            ("/%", RequestTarget.Fault.badEncoding), ("/%4", .badEncoding), ("/%zz", .badEncoding),
            ("/%00", .badEncoding), ("/%0a", .badEncoding), ("/%c3%28", .badEncoding),
            ("/%ff", .badEncoding), ("/a#b", .badEncoding), ("/?a=%", .badEncoding),
            ("/?%00", .badEncoding), ("/..", .unsafeSegment), ("/a/../b", .unsafeSegment),
            ("/%2e%2E/etc", .unsafeSegment), ("/.", .unsafeSegment), ("/a%2fb", .unsafeSegment),
            ("/a%5cb", .unsafeSegment), ("", .noPath), ("a", .noPath), ("http://", .noPath),
            ("http://x", .noPath), ("http:///a", .noPath), ("ftp://x/", .noPath),
            ("/" + String(repeating: "a", count: 5000), .tooLong),
            (String(repeating: "/a", count: 40), .tooLong),
            ("/?" + String(repeating: "a&", count: 70), .tooLong),
        ])
    func anUnsafeTargetIsRefused(_ text: String, _ fault: RequestTarget.Fault) {
        #expect(throws: fault) { try RequestTarget(parsing: Array(text.utf8)) }
    }

    @Test("a query is a list of pairs")
    func aQueryIsAListOfPairs() throws {
        let target = try RequestTarget(parsing: Array("/h?from=1%2B1&to=a+b&to=2&x&&=y".utf8))
        #expect(target["from"] == "1+1")
        #expect(target["to"] == "a b")
        #expect(target["x"] == "")
        #expect(target["none"] == nil)
        #expect(target.query.map(\.name) == ["from", "to", "to", "x", ""])
    }

    @Test("any bytes parse or throw")
    func anyBytesParseOrThrow() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let interesting = Array("/%.?&=+#:0aF\u{0}\\é".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? interesting[Int.random(in: 0..<interesting.count, using: &random)]
                    : UInt8.random(in: 0...255, using: &random)
            }
            guard let target = try? RequestTarget(parsing: bytes) else { continue }
            #expect(
                target.path.allSatisfy { segment in
                    segment != ".." && segment != "." && !segment.contains("/")
                        && !segment.contains("\\") && !segment.utf8.contains(0)
                }, "\(bytes), seed \(seed)")
        }
    }
}
