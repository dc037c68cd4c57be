import Testing

@testable import MQTT

@Suite("ReasonCode")
struct ReasonCodeTests {
    @Test(
        "is a failure from 0x80 on",
        arguments: [(0x00, false), (0x10, false), (0x7F, false), (0x80, true), (0xFF, true)]
            as [(UInt8, Bool)])
    func failure(code: UInt8, isFailure: Bool) {
        #expect(ReasonCode(rawValue: code).isFailure == isFailure)
    }

    @Test(
        "what waiting does not help is known",
        arguments: [
            ReasonCode.notAuthorised, .topicNameInvalid, .packetTooLarge, .payloadFormatInvalid,
        ])
    func lasting(code: ReasonCode) {
        #expect(!code.mayPass)
    }

    @Test(
        "what waiting may help is known",
        arguments: [ReasonCode.quotaExceeded, .serverBusy, .unspecified, .implementationSpecific])
    func passing(code: ReasonCode) {
        #expect(code.isFailure && code.mayPass)
    }

    @Test("says its name and its number, or only its number")
    func words() {
        #expect("\(ReasonCode.notAuthorised)" == "not authorised (0x87)")
        #expect("\(ReasonCode.success)" == "success (0x00)")
        #expect("\(ReasonCode(rawValue: 0xA0))" == "maximum connect time (0xa0)")
        #expect(
            "\(ReasonCode(rawValue: 0xA2))" == "wildcard subscriptions not supported (0xa2)")
        #expect("\(ReasonCode(rawValue: 0xF3))" == "reason 0xf3")
    }

    @Test(
        "translates the return codes of 3.1.1",
        arguments: [
            (0, .success), (1, .unsupportedProtocolVersion), (2, .clientIDNotValid),
            (3, .serverUnavailable), (4, .badUserNameOrPassword), (5, .notAuthorised),
            (6, ReasonCode(rawValue: 6)), (-1, .unspecified), (300, .unspecified),
        ] as [(CInt, ReasonCode)])
    func returnCodes(number: CInt, code: ReasonCode) {
        #expect(ReasonCode(returnCodeOf311: number) == code)
    }
}
