import Posix
import Primitives
import ServerConfiguration
import TestSupport
import Testing

@testable import Server

@Suite("the webhook")
struct WebhookTests {
    private static func pause() { _ = try? Poll.wait(for: [], timeout: 10) }

    private static func wait(_ condition: () -> Bool) -> Bool {
        let deadline = Deadline()
        while !condition(), !deadline.hasPassed { pause() }
        return condition()
    }

    private static func settings(_ url: String, more: String = "") throws -> WebhookSettings {
        let text = """
            {"mqtt": {"host": "b"}, "webhook": {"url": "\(url)"\(more)}, "sites": [{"site": "s",
             "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        return try #require(configuration.webhook)
    }

    @Test("an event is posted until the receiver takes it")
    func repeats() throws {
        let receiver = try WebReceiver([
            "HTTP/1.1 503 Busy\r\n\r\n", "", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
        ])
        let webhook = Webhook(
            try Self.settings("http://127.0.0.1:\(receiver.port)/hook?k=1"), pauses: [0, 1, 1])
        webhook.post("minute", Array("{}".utf8))
        webhook.post("region-event", Array(#"{"kind":"region-event"}"#.utf8))
        webhook.post("beacon-event", Array(#"{"kind":"beacon-event"}"#.utf8))
        let requests = receiver.wait(for: 4)
        #expect(requests.count == 4)
        for request in requests.prefix(3) {
            #expect(request.hasPrefix("POST /hook?k=1 HTTP/1.1\r\nHost: 127.0.0.1:"))
            #expect(request.contains("\r\nContent-Length: 23\r\n"))
            #expect(request.hasSuffix("\r\n\r\n{\"kind\":\"region-event\"}"))
        }
        #expect(requests.last?.hasSuffix("{\"kind\":\"beacon-event\"}") == true)
        #expect(Self.wait { webhook.sent == 2 })
        #expect(webhook.lost == 0 && webhook.fault == nil)
    }

    @Test("an event that the receiver refuses is lost, counted and reported without the path")
    func lost() throws {
        let refusal = "HTTP/1.1 422 Unprocessable Content\r\n\r\n"
        let receiver = try WebReceiver([refusal, refusal, refusal, "220 smtp.example\r\n"])
        let place = "127.0.0.1:\(receiver.port)"
        let webhook = Webhook(
            try Self.settings("http://\(place)/secret", more: #", "events": ["region-event"]"#),
            pauses: [0, 1], memory: .seconds(6))
        webhook.post("beacon-event", Array("{}".utf8))
        webhook.post("region-event", Array("{}".utf8))
        #expect(Self.wait { webhook.lost == 1 })
        #expect(
            webhook.fault
                == "The webhook \(place) does not take events: it answers 422, and an event is lost."
        )
        // The receiver works: what it refused is no fault for ever.
        #expect(Self.wait { webhook.fault == nil })
        webhook.post("region-event", Array("{}".utf8))
        #expect(receiver.wait(for: 4).count == 4)
        #expect(Self.wait { webhook.fault?.contains("can't connect: ") == true })
        #expect(webhook.sent == 0)
        #expect(webhook.lost == 1)
    }

    @Test("an event waits for a receiver that is away")
    func away() throws {
        let answers = Array(repeating: "HTTP/1.1 503 Busy\r\n\r\n", count: 5)
        let receiver = try WebReceiver(answers + ["HTTP/1.1 200 OK\r\n\r\n"])
        let webhook = Webhook(
            try Self.settings("http://127.0.0.1:\(receiver.port)/"), pauses: [0, 1])
        webhook.post("region-event", Array("{}".utf8))
        #expect(Self.wait { webhook.sent == 1 })
        #expect(webhook.lost == 0)
    }

    @Test("a removed webhook posts no more")
    func removal() throws {
        let receiver = try WebReceiver(
            Array(repeating: "HTTP/1.1 503 Busy\r\n\r\n", count: 30))
        let settings = try Self.settings("http://127.0.0.1:\(receiver.port)/")
        var first: Webhook? = Webhook(settings, pauses: [0, 10])
        for _ in 0..<3 { first?.post("region-event", Array(#"{"n":1}"#.utf8)) }
        _ = receiver.wait(for: 1)
        first = nil
        let second = Webhook(settings, pauses: [0, 10])
        second.post("region-event", Array(#"{"n":2}"#.utf8))
        let requests = receiver.wait(for: 30)
        let later = requests.drop { !$0.hasSuffix(#"{"n":2}"#) }
        #expect(later.count > 10)
        // The attempt that was under way.
        #expect(later.count { $0.hasSuffix(#"{"n":1}"#) } <= 1)
        withExtendedLifetime(second) {}
    }

    @Test("events beyond the bound are lost at once")
    func full() throws {
        let receiver = try WebReceiver([])
        let webhook = Webhook(try Self.settings("http://127.0.0.1:\(receiver.port)/"))
        // The thread has taken as many as may wait, at most.
        for _ in 0...2 * WebhookQueue.most { webhook.post("region-event", Array("{}".utf8)) }
        #expect(webhook.lost > 0)
    }

    @Test(
        "an address is http or https, a host, and a path",
        arguments: [
            ("http://localhost/x", "localhost:80"), ("https://a.example", "a.example:443"),
            ("https://[::1]:8443/a/b?c=d", "[::1]:8443"), ("http://a:0/", nil),
            ("ftp://a/", nil), ("http://user@a/", nil), ("http:///x", nil), ("http://a/b#c", nil),
            ("http://a/b c", nil), ("http://a/\\u000d\\u000aX: y", nil),
        ])
    func address(url: String, place: String?) {
        #expect((try? Self.settings(url))?.address.place == place)
    }
}
