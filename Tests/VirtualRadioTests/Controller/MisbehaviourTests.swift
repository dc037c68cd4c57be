import Beacons
import HCI
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct MisbehaviourTests {
    private func advertisement(_ time: Instant) -> Advertisement {
        Advertisement(
            time: time, sender: DeviceAddress(address: 1, type: 1), kind: .nonConnectable, data: [],
            rssi: RSSI(dBm: -50))
    }

    @Test("a stalled controller sends nothing, and answers afterwards")
    func stall() {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.misbehave(.stall(.seconds(5)), at: .seconds(0))
        talk.time = .seconds(1)
        #expect(talk.send(HCICommand.readDeviceAddress.packet).isEmpty)
        talk.controller.hear([advertisement(.seconds(2))])
        talk.controller.advance(to: .microseconds(4_999_999))
        #expect(talk.controller.takeOutput().isEmpty)
        talk.controller.advance(to: .seconds(5))
        #expect(talk.controller.takeOutput().starts(with: hex("04 0e 0a 01 09 10 00")))
        talk.controller.hear([advertisement(.seconds(5))])
        #expect(!talk.controller.takeOutput().isEmpty)
    }

    @Test("a refusal fault refuses its command the given number of times")
    func refusals() {
        var talk = Conversation(.legacy)
        talk.controller.misbehave(
            .refuse(.leSetScanEnable, .commandDisallowed, times: 2), at: .seconds(0))
        let statuses = (0..<4).map { _ in talk.status(.scanEnable(true, .legacy)) }
        #expect(statuses == [0x0c, 0x0c, 0, 0])
        talk.controller.misbehave(.refuse(.reset, .hardwareFailure, times: nil), at: .seconds(0))
        #expect((0..<10).allSatisfy { _ in talk.status(.reset) == 0x03 })
    }

    @Test("a silent controller answers without reports until a reset")
    func silence() {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.misbehave(.silent(nil), at: .seconds(0))
        talk.controller.hear([advertisement(.seconds(100))])
        #expect(talk.controller.takeOutput().isEmpty)
        #expect(talk.status(.readLocalVersion) == 0)
        talk.scan(.legacy)
        talk.controller.hear([advertisement(.seconds(101))])
        #expect(!talk.controller.takeOutput().isEmpty)
    }

    @Test("a silence with a duration ends by itself, not by a reset")
    func silenceDuration() {
        var talk = Conversation(.legacy)
        talk.controller.misbehave(.silent(.seconds(10)), at: .seconds(0))
        talk.scan(.legacy)
        talk.controller.hear([advertisement(.microseconds(9_999_999))])
        #expect(talk.controller.takeOutput().isEmpty)
        talk.controller.hear([advertisement(.seconds(10))])
        #expect(!talk.controller.takeOutput().isEmpty)
    }

    @Test("a hardware error is reported and ends the scan") func hardwareError() {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.misbehave(.hardwareError(code: 0x42), at: .seconds(0))
        talk.controller.hear([advertisement(.microseconds(1))])
        #expect(talk.controller.takeOutput() == hex("04 10 01 42"))
    }

    @Test(
        arguments: [
            ("10:stall:5", Misbehaviour(at: .seconds(10), .stall(.seconds(5)))),
            ("0.5:silent", Misbehaviour(at: .milliseconds(500), .silent(nil))),
            ("scan+5:silent", Misbehaviour(at: .seconds(5), after: .firstScan, .silent(nil))),
            ("1:silent:2.5", Misbehaviour(at: .seconds(1), .silent(.milliseconds(2500)))),
            ("1:hardwareError:0x42", Misbehaviour(at: .seconds(1), .hardwareError(code: 0x42))),
            (
                "1:refuse:0x200c:12:3",
                Misbehaviour(
                    at: .seconds(1), .refuse(.leSetScanEnable, .commandDisallowed, times: 3))
            ),
            (
                "1:refuse:0x200c:0x0c",
                Misbehaviour(
                    at: .seconds(1), .refuse(.leSetScanEnable, .commandDisallowed, times: nil))
            ),
            ("1:close", Misbehaviour(at: .seconds(1), .close(.zero))),
            ("1:close:3", Misbehaviour(at: .seconds(1), .close(.seconds(3)))),
            ("", nil), ("1", nil), ("x:stall:1", nil), ("1:stall", nil), ("1:stall:nan", nil),
            ("-1:close", nil),
            ("1:refuse:0x10000:1", nil), ("1:refuse:0x200c:0x0c:0", nil), ("1:close:1:2", nil),
            ("1:dance", nil), ("1e300:close", nil),
        ] as [(String, Misbehaviour?)])
    func faultOptions(
        text: String, expected: Misbehaviour?
    ) {
        #expect(Misbehaviour(text) == expected)
    }
}
