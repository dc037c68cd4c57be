import Beacons
import HCI
import Testing

@testable import VirtualRadio

@Suite struct MisbehaviourTests {
    private let second: Int64 = 1_000_000

    private func advertisement(_ time: Int64) -> Advertisement {
        Advertisement(
            time: time, sender: DeviceAddress(address: 1, type: 1), kind: .nonConnectable, data: [],
            rssi: RSSI(dBm: -50))
    }

    @Test("a stalled controller sends nothing, and answers afterwards")
    func stall() {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.misbehave(.stall(5 * second), at: 0)
        talk.time = second
        #expect(talk.send(Command.readDeviceAddress.packet).isEmpty)
        talk.controller.hear([advertisement(2 * second)])
        talk.controller.advance(to: 5 * second - 1)
        #expect(talk.controller.takeOutput().isEmpty)
        talk.controller.advance(to: 5 * second)
        #expect(talk.controller.takeOutput().starts(with: hex("04 0e 0a 01 09 10 00")))
        talk.controller.hear([advertisement(5 * second)])
        #expect(!talk.controller.takeOutput().isEmpty)
    }

    @Test("a refusal fault refuses its command the given number of times")
    func refusals() {
        var talk = Conversation(.legacy)
        talk.controller.misbehave(.refuse(.leSetScanEnable, .commandDisallowed, times: 2), at: 0)
        let statuses = (0..<4).map { _ in talk.status(.scanEnable(true, .legacy)) }
        #expect(statuses == [0x0c, 0x0c, 0, 0])
        talk.controller.misbehave(.refuse(.reset, .hardwareFailure, times: nil), at: 0)
        #expect((0..<10).allSatisfy { _ in talk.status(.reset) == 0x03 })
    }

    @Test("a silent controller answers without reports until a reset")
    func silence() {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.misbehave(.silent(nil), at: 0)
        talk.controller.hear([advertisement(100 * second)])
        #expect(talk.controller.takeOutput().isEmpty)
        #expect(talk.status(.readLocalVersion) == 0)
        talk.scan(.legacy)
        talk.controller.hear([advertisement(101 * second)])
        #expect(!talk.controller.takeOutput().isEmpty)
    }

    @Test("a silence with a duration ends by itself, not by a reset")
    func silenceDuration() {
        var talk = Conversation(.legacy)
        talk.controller.misbehave(.silent(10 * second), at: 0)
        talk.scan(.legacy)
        talk.controller.hear([advertisement(10 * second - 1)])
        #expect(talk.controller.takeOutput().isEmpty)
        talk.controller.hear([advertisement(10 * second)])
        #expect(!talk.controller.takeOutput().isEmpty)
    }

    @Test("a hardware error is reported and ends the scan") func hardwareError() {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.misbehave(.hardwareError(code: 0x42), at: 0)
        talk.controller.hear([advertisement(1)])
        #expect(talk.controller.takeOutput() == hex("04 10 01 42"))
    }

    @Test(
        arguments: [
            ("10:stall:5", Misbehaviour(at: 10_000_000, .stall(5_000_000))),
            ("0.5:silent", Misbehaviour(at: 500_000, .silent(nil))),
            ("scan+5:silent", Misbehaviour(at: 5_000_000, after: .firstScan, .silent(nil))),
            ("1:silent:2.5", Misbehaviour(at: 1_000_000, .silent(2_500_000))),
            ("1:hardwareError:0x42", Misbehaviour(at: 1_000_000, .hardwareError(code: 0x42))),
            (
                "1:refuse:0x200c:12:3",
                Misbehaviour(at: 1_000_000, .refuse(.leSetScanEnable, .commandDisallowed, times: 3))
            ),
            (
                "1:refuse:0x200c:0x0c",
                Misbehaviour(
                    at: 1_000_000, .refuse(.leSetScanEnable, .commandDisallowed, times: nil))
            ),
            ("1:close", Misbehaviour(at: 1_000_000, .close(0))),
            ("1:close:3", Misbehaviour(at: 1_000_000, .close(3_000_000))),
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
