import Contract
import Testing

@Suite struct TopicsTests {
    @Test("topics equal those of the contract")
    func topics() throws {
        let topics = try #require(Topics(site: "s", gateway: "g"))
        #expect(
            Topics.Kind.allCases.map(topics.topic) == [
                "sightline/v1/s/g/sightings", "sightline/v1/s/g/status", "sightline/v1/s/g/health",
                "sightline/v1/s/g/config/reported", "sightline/v1/s/g/trackers",
            ])
        #expect(
            Topics.Layer.allCases.map(topics.desired) == [
                "sightline/v1/config/desired", "sightline/v1/s/config/desired",
                "sightline/v1/s/g/config/desired",
            ])
        #expect(Topics.filter(.status) == "sightline/v1/+/+/status")
        #expect(Topics.filter(.status, root: "r", site: "s") == "r/s/+/status")
    }

    @Test("parses the topics that a gateway publishes on", arguments: Topics.Kind.allCases)
    func parsing(kind: Topics.Kind) throws {
        let topics = try #require(Topics(root: "a/b", site: "s", gateway: "g"))
        let (read, readKind) = try #require(Topics.parse(topics.topic(kind), root: "a/b"))
        #expect(read == topics)
        #expect(readKind == kind)
    }

    @Test(
        "other topics are ignored",
        arguments: [
            "", "sightline/v1", "sightline/v1/s/g", "sightline/v1/s/g/", "sightline/v1/s/g/Status",
            "sightline/v1/s//status", "sightline/v1/s/g/status/x", "sightline/v2/s/g/status",
            "sightline/v1/s/config/desired", "xsightline/v1/s/g/status", "sightline/v1/é/g/status",
        ])
    func foreign(topic: String) { #expect(Topics.parse(topic) == nil) }

    @Test(
        "names have 1 to 64 characters of a small set",
        arguments: [
            ("a", true), ("A-z_0.9", true), ("a.", true), ("..a", true),
            (String(repeating: "x", count: 64), true),
            ("", false), (".", false), ("..", false), (String(repeating: "x", count: 65), false),
            ("a/b", false), ("+", false),
            ("#", false), ("a b", false), ("é", false), ("a\u{0}", false), ("\u{212a}", false),
        ] as [(String, Bool)])
    func names(text: String, isName: Bool) {
        #expect(Topics.isName(text) == isName)
        #expect((Topics(site: text, gateway: "g") != nil) == isName)
        #expect((Topics(site: "s", gateway: text) != nil) == isName)
    }

    @Test(
        "roots have levels without wildcards",
        arguments: [
            ("a", true), ("a/b/c", true), ("é $", true), (String(repeating: "x", count: 200), true),
            ("", false), ("/a", false), ("a/", false), ("a//b", false), ("a/+", false),
            ("a#", false), ("$SYS", false), ("a\u{0}", false), ("a\n", false),
            (String(repeating: "x", count: 201), false),
        ] as [(String, Bool)])
    func roots(text: String, isRoot: Bool) {
        #expect(Topics.isRoot(text) == isRoot)
        #expect((Topics(root: text, site: "s", gateway: "g") != nil) == isRoot)
    }
}
