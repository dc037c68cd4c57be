import Testing

@testable import Server

@Suite struct LoggedFaultsTests {
    @Test("a fault is logged once")
    func once() {
        var logged = LoggedFaults()
        #expect(logged.take("too large", "9 bytes", at: "s/g") == false)
        #expect(logged.take("too large", "9 bytes", at: "s/g") == nil)
        #expect(logged.take("too large", "10 bytes", at: "s/g") == false)
        #expect(logged.take("too large", "9 bytes", at: "s/h") == false)
    }

    @Test("a gateway with ever new faults leaves the others theirs")
    func share() {
        var logged = LoggedFaults()
        let answers = (0..<1000).map { logged.take("too large", "\($0) bytes", at: "s/g") }
        let most = LoggedFaults.mostOfPlace
        #expect(answers.compactMap(\.self) == (1...most).map { $0 == most })
        #expect(logged.take("too large", "1 byte", at: "s/h") == false)
    }
}
