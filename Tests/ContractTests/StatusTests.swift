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
        var health = Health(session: "s", at: 5, uptimeSeconds: 7)
        health.radio.reports = .max
        health.messages.refused = 3
        health.process.cpuSeconds = 1.254
        health.clock.state = .synced
        #expect(
            String(decoding: health.encoded, as: UTF8.self)
                == #"{"v":1,"session":"s","at":5,"uptimeSeconds":7,"#
                + #""radio":{"reports":18446744073709551615,"beacons":0,"filtered":0,"malformed":0,"#
                + #""implausible":0,"untracked":0,"dropped":0,"restarts":0,"#
                + #""interferences":0,"probes":0,"rescans":0,"powerCycles":0,"resets":0,"gaveUp":0},"#
                + #""messages":{"published":0,"acknowledged":0,"refused":3,"lost":0},"broker":{"reconnects":0,"takeovers":0},"#
                + #""outbox":{"batches":0,"bytes":0,"stored":0,"durable":false,"merged":0,"damaged":0},"#
                + #""process":{"residentBytes":0,"cpuSeconds":1.25},"#
                + #""clock":{"state":"synced","steps":0}}"#)
        health.radio.lastReportAgeMs = 12
        health.outbox.oldestAgeMs = 34
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
        var health = Health(session: "s", at: 5, uptimeSeconds: 7)
        health.process.cpuSeconds = seconds
        #expect(
            String(decoding: health.encoded, as: UTF8.self).contains(#""cpuSeconds":\#(text)}"#))
    }
}
