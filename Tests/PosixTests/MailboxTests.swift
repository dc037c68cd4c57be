import Testing

@testable import Posix

@Suite struct MailboxTests {
    private static func isReadable(_ mailbox: Mailbox<Int>) throws -> Bool {
        try Poll.wait(for: [Poll.Interest(mailbox.descriptor)], timeout: 0)[0].contains(.input)
    }

    @Test("messages come out in order, and the descriptor is readable while there are any")
    func order() throws {
        let mailbox = try Mailbox<Int>(capacity: 10)
        #expect(try !Self.isReadable(mailbox))
        for number in 0..<5 { #expect(mailbox.post(number)) }
        #expect(try Self.isReadable(mailbox))
        #expect(mailbox.take() == [0, 1, 2, 3, 4])
        #expect(try !Self.isReadable(mailbox))
        #expect(mailbox.take().isEmpty)
    }

    @Test("a full mailbox refuses and counts messages, until one is taken")
    func bounded() throws {
        let mailbox = try Mailbox<Int>(capacity: 3)
        #expect((0..<5).map { mailbox.post($0) } == [true, true, true, false, false])
        #expect(mailbox.refused == 2)
        #expect(mailbox.take() == [0, 1, 2])
        #expect(mailbox.post(5))
        #expect(mailbox.take() == [5])
        #expect(mailbox.refused == 2)
    }

    @Test("a message wakes a sleeping reader, and two threads lose no message")
    func threads() throws {
        let mailbox = try Mailbox<Int>(capacity: 100_000)
        let writer = try Thread(name: "writer") {
            for number in 0..<20_000 { mailbox.post(number) }
        }
        var received: [Int] = []
        while received.count < 20_000 {
            let events = try Poll.wait(for: [Poll.Interest(mailbox.descriptor)], timeout: 10_000)
            try #require(events[0].contains(.input), "woken in time")
            received += mailbox.take()
        }
        writer.join()
        #expect(received == Array(0..<20_000))
    }
}
