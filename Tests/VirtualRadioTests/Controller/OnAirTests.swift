import Beacons
import HCI
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct OnAirTests {
    private let beacon = IBeacon(
        identity: BeaconIdentity(uuid: organisation, major: 42, minor: 7), measuredPower: -59)

    @Test(
        "the agent's commands put its beacon on the air",
        arguments: [CommandFamily.legacy, .extended]) func agentCommands(
            _ family: CommandFamily
        ) throws
    {
        var talk = Conversation(family)
        #expect(talk.status(.reset) == 0)
        #expect(talk.status(.advertisingParameters(interval: 0xa0, txPower: 4, family)) == 0)
        #expect(talk.status(.advertisingData(beacon.advertisingData, family)) == 0)
        #expect(talk.controller.onAir.isEmpty)
        #expect(talk.status(.advertisingEnable(true, family)) == 0)
        let onAir = try #require(talk.controller.onAir.first)
        #expect(talk.controller.onAir.count == 1)
        #expect(onAir.data == beacon.advertisingData)
        #expect(onAir.interval == 0xa0...0xa0)
        #expect(onAir.channels == 7)
        #expect(onAir.properties == 0x10, "not connectable, not scannable, legacy PDU")
        #expect(onAir.sender == DeviceAddress(address: 0x0200_0000_0001, type: 0))
        #expect(onAir.txPower == (family == .extended ? 4 : 0), "legacy commands can't choose")
        #expect(talk.status(.advertisingEnable(false, family)) == 0)
        #expect(talk.controller.onAir.isEmpty)
    }

    @Test("the transmit power is limited to the controller's range")
    func powerLimit() {
        var talk = Conversation(.extended)
        let answer = talk.send(
            HCICommand.advertisingParameters(interval: 0xa0, txPower: 20, .extended).packet)
        #expect(answer == hex("04 0e 05 01 36 20 00 08"), "20 dBm requested, 8 dBm selected")
    }

    @Test(
        "the transmit power range follows the configuration",
        arguments: [(-5, -5), (20, 4), (-40, -10), (nil, 0)]) func powerIsConfigured(
            wish: Int8?, taken: Int8
        )
    {
        var configuration = SimulatedController.Configuration(family: .extended, address: 1)
        configuration.txPower = -10...4
        var talk = Conversation(configuration)
        let answer = talk.send(
            HCICommand.advertisingParameters(interval: 0xa0, txPower: wish, .extended).packet)
        #expect(answer == hex("04 0e 05 01 36 20 00") + [UInt8(bitPattern: taken)])
        talk.status(.advertisingEnable(true, .extended))
        #expect(talk.controller.onAir.first?.txPower == taken)
        #expect(talk.send(hex("01 4b 20 00")) == hex("04 0e 06 01 4b 20 00 f6 04"))
    }

    @Test("a transmitter without 0 dBm uses the nearest power")
    func usualPower() {
        var configuration = SimulatedController.Configuration(family: .legacy, address: 1)
        configuration.txPower = 2...4
        var talk = Conversation(configuration)
        #expect(talk.send(hex("01 07 20 00")) == hex("04 0e 05 01 07 20 00 02"))
        talk.status(.advertisingEnable(true, .legacy))
        #expect(talk.controller.onAir.first?.txPower == 2)
    }

    @Test("fragments of advertising data are joined") func fragments() {
        var talk = Conversation(.extended)
        let noPeer = "00 000000000000"
        #expect(
            talk.status(0x2036, "01 0000 a00000 a00000 07 00 \(noPeer) 00 7f 01 00 01 00 00") == 0)
        #expect(talk.status(0x2037, "01 01 01 02 aabb") == 0)
        #expect(talk.status(0x2037, "01 02 01 01 cc") == 0)
        #expect(talk.status(0x2039, "01 01 01 0000 00") == 0)
        #expect(talk.controller.onAir.first?.data == [0xaa, 0xbb, 0xcc])
    }

    @Test("an advertising set with a duration ends with an event") func setDuration() {
        var talk = Conversation(.extended)
        talk.status(.setEventMask)
        #expect(talk.status(0x2001, "ffff0f0000000000") == 0)
        talk.status(.advertisingParameters(interval: 0xa0, .extended))
        // Half a second.
        #expect(talk.status(0x2039, "01 01 ef 3200 00") == 0)
        talk.controller.advance(to: .microseconds(499_999))
        #expect(talk.controller.onAir.count == 1)
        talk.controller.advance(to: .microseconds(500_000))
        #expect(talk.controller.onAir.isEmpty)
        // Subevent 12: advertising time-out, the handle of the gateway, no connection.
        #expect(talk.controller.takeOutput() == hex("04 3e 06 12 3c ef ff 0f 00"))
    }

    @Test("a reset ends all advertising") func reset() {
        var talk = Conversation(.legacy)
        talk.status(.advertisingEnable(true, .legacy))
        #expect(talk.controller.onAir.count == 1)
        talk.status(.reset)
        #expect(talk.controller.onAir.isEmpty)
    }
}
