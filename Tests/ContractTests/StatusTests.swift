import Contract
import JSON
import Testing

@Suite struct StatusTests {
    @Test(
        "the status equals the contract's and is read back",
        arguments: StatusMessage.State.allCases)
    func status(state: StatusMessage.State) throws {
        let message = StatusMessage(
            state: state, session: "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10", at: 1_780_000_000_000,
            version: "0.1.0", clock: .synced)
        #expect(
            String(decoding: message.encoded, as: UTF8.self)
                == #"{"v":1,"state":"\#(state.rawValue)","session":"0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10","#
                + #""at":1780000000000,"version":"0.1.0","clock":"synced"}"#)
        #expect(try StatusMessage(decoding: message.encoded) == message)
    }

    @Test("strings are escaped and read back")
    func escapes() throws {
        let message = StatusMessage(
            state: .online, session: "a\"\\\u{1}\n\u{1f}é😀", at: 0, version: "", clock: .unsynced)
        #expect(try StatusMessage(decoding: message.encoded) == message)
    }

    @Test("a status may have unknown members but needs the required ones")
    func tolerance() {
        let grown =
            #"{"v":1,"state":"online","session":"s","at":1,"version":"9","clock":"synced","new":{}}"#
        #expect(throws: Never.self) { try StatusMessage(decoding: Array(grown.utf8)) }
        do throws(Faults) {
            _ = try StatusMessage(decoding: Array(#"{"v":2,"state":"idle","at":-1}"#.utf8))
            Issue.record("taken for a status")
        } catch {
            #expect(
                error.list.map { "\($0.pointer) \($0.code.rawValue)" } == [
                    "/v out-of-range", "/state out-of-range", "/session missing",
                    "/at out-of-range",
                    "/version missing", "/clock missing",
                ])
        }
    }

    @Test("health is nested JSON without unknown values")
    func health() throws {
        var health = Health(session: "s", at: 5, uptime: .seconds(7))
        health.radio.reports = .max
        health.messages.refused = 3
        health.process.cpuSeconds = 1.254
        health.clock.state = .synced
        // config/contract/examples/health.begun.json has all members of a new agent; ExamplesTests compares the bytes.
        let text = String(decoding: health.encoded, as: UTF8.self)
        #expect(text.hasPrefix(#"{"v":1,"session":"s","at":5,"uptimeSeconds":7,"radio":{"#))
        #expect(text.contains(#""reports":18446744073709551615,"#))
        #expect(text.contains(#""refused":3,"#))
        #expect(text.hasSuffix(#""cpuSeconds":1.25},"clock":{"state":"synced","steps":0}}"#))
        for absent in ["lastReportAgeMs", "oldestAgeMs", "address", "hearing", "lastLossAt"] {
            #expect(!text.contains("\"\(absent)\""), "\(absent)")
        }
        health.radio.lastReportAge = .milliseconds(12)
        health.outbox.oldestAge = .milliseconds(34)
        health.broker = "[::1]:1883"
        let json = try JSON(parsing: health.encoded, maxBytes: 4096)
        #expect(json["radio"]?["lastReportAgeMs"] == .integer(12))
        #expect(json["outbox"]?["oldestAgeMs"] == .integer(34))
        #expect(json["broker"]?["address"] == .string("[::1]:1883"))
    }

    @Test(
        "processor time has two decimals at most",
        arguments: [
            (0, "0"), (0.004, "0"), (0.005, "0.01"), (0.1, "0.1"), (12, "12"), (100.999, "101"),
            (86_400.07, "86400.07"), (31_536_000.5, "31536000.5"),
            (9_999_999_999.99, "9999999999.99"),
        ] as [(Double, String)])
    func processorTime(seconds: Double, text: String) {
        var health = Health(session: "s", at: 5, uptime: .seconds(7))
        health.process.cpuSeconds = seconds
        #expect(
            String(decoding: health.encoded, as: UTF8.self).contains(#""cpuSeconds":\#(text)}"#))
    }
}
