import Foundation
import Posix
import TestSupport
import Testing

extension BrokerTests.DoctorTests {
    @Test("a missing configuration has a remedy")
    func missing() throws {
        let process = try ChildProcess(
            try #require(DoctorFixture.program), ["doctor", "--config", "/nowhere/x"])
        #expect(process.waitForExit() == 1)
        #expect(process.lines.first?.hasSuffix("or name another one with --config") == true)
    }

    @Test(
        "wrong use exits with 2",
        arguments: [["--seconds", "0"], ["FILE"], ["--fix"]])
    func wrongUse(arguments: [String]) throws {
        let process = try ChildProcess(
            try #require(DoctorFixture.program), ["doctor"] + arguments)
        #expect(process.waitForExit() == 2)
    }
}
