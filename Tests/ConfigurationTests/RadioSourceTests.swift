import Configuration
import Posix
import Testing

@Suite struct RadioSourceTests {
    @Test(
        "reads a source in the form of the command line",
        arguments: [
            ("hci0", RadioSource.adapter(0, .raw)),
            ("hci12", .adapter(12, .raw)),
            ("hci65535", .adapter(65535, .raw)),
            ("hci0:user", .adapter(0, .user)),
            ("h4:unix:/run/a:b", .h4(.unix(path: "/run/a:b"))),
            ("h4:tcp:localhost:9000", .h4(.tcp(host: "localhost", port: 9000))),
            ("h4:tcp:[::1]:9000", .h4(.tcp(host: "::1", port: 9000))),
            ("h4:tcp:10.0.0.1:65535", .h4(.tcp(host: "10.0.0.1", port: 65535))),
            ("replay:a b:c.btsnoop", .replay(path: "a b:c.btsnoop")),
        ] as [(String, RadioSource)])
    func good(text: String, source: RadioSource) throws {
        #expect(try RadioSource(parsing: text) == source)
    }

    @Test(
        "an invalid source is refused with the expected form",
        arguments: [
            ("", "must be hci0, hci0:user, h4:unix:PATH"),
            ("hci", "must be hci0, hci0:user, h4:unix:PATH"),
            ("hci+1", "must be hci0, hci0:user, h4:unix:PATH"),
            ("hci-1", "must be hci0, hci0:user, h4:unix:PATH"),
            ("hci65536", "must be hci0, hci0:user, h4:unix:PATH"),
            ("HCI0", "must be hci0, hci0:user, h4:unix:PATH"),
            ("usb0", "must be hci0, hci0:user, h4:unix:PATH"),
            ("h4", "must be hci0, hci0:user, h4:unix:PATH"),
            ("hci0:", "must be hci0 or hci0:user"),
            ("hci3:raw", "must be hci3 or hci3:user"),
            ("h4:", "must be h4:unix:PATH or h4:tcp:HOST:PORT"),
            ("h4:serial:x", "must be h4:unix:PATH or h4:tcp:HOST:PORT"),
            ("h4:unix:", "must name a socket"),
            ("h4:unix:" + String(repeating: "x", count: 108), "must name a socket"),
            ("h4:tcp:host", "must be h4:tcp:HOST:PORT"),
            ("h4:tcp:host:", "must be h4:tcp:HOST:PORT"),
            ("h4:tcp:host:0", "must be h4:tcp:HOST:PORT"),
            ("h4:tcp:host:65536", "must be h4:tcp:HOST:PORT"),
            ("h4:tcp::9000", "must be h4:tcp:HOST:PORT"),
            ("h4:tcp:::1:9000", "must be h4:tcp:HOST:PORT"),
            ("replay:", "must name a file: replay:FILE"),
            ("replay", "must name a file: replay:FILE"),
            (
                "sim:queue.json",
                "can't be a scenario: start virtual-radio --scenario queue.json --gateway ID --listen unix:PATH, and"
            ), ("sim:", "can't be a scenario: start virtual-radio --scenario FILE "),
            ("sim", "must be hci0, hci0:user, h4:unix:PATH"),
        ] as [(String, String)])
    func bad(text: String, beginning: String) {
        do throws(RadioSource.Invalid) {
            Issue.record("taken for \(try RadioSource(parsing: text))")
        } catch {
            #expect(error.description.hasPrefix(beginning))
        }
    }
}
