import Testing

@testable import Posix

@Suite struct ClockStepsTests {
    /// The tests in the virtual machine set the clock: setting it needs a privilege that this test
    /// lacks.
    @Test("without a clock step, the descriptor is not readable")
    func quiet() throws {
        let steps = try ClockSteps()
        #expect(try Poll.wait(for: [Poll.Interest(steps.descriptor.rawValue)], timeout: 20) == [[]])
        #expect(!steps.take())
        #expect(!steps.take())
    }
}
