import Testing

@testable import Posix

@Suite struct ClockStepsTests {
    /// That a set clock is noticed is seen in the virtual machine: here nobody may set it.
    @Test("While nobody sets the clock there is nothing to read, and nothing to wake up for")
    func quiet() throws {
        let steps = try ClockSteps()
        #expect(try Poll.wait(for: [Poll.Interest(steps.descriptor.rawValue)], timeout: 20) == [[]])
        #expect(!steps.take())
        #expect(!steps.take())
    }
}
