import Primitives
import Subscriber
import Testing

@testable import Subcommands

@Suite struct NameCheckTests {
    private let other = GatewayName(site: "store-042", id: "entry-1")

    private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

    @Test("a name is unknown after the retained messages, not while they arrive")
    func unknown() {
        var check = NameCheck(site: "store-024", gateway: nil)
        #expect(check.due == nil)
        check.subscribed(at: at(0))
        for step in 1...4 {
            let now = at(Int64(step) * 250)
            let outcome = check.judge(at: now, broker: "b")
            #expect(outcome == nil)
            let isWanted = check.includes(other)
            #expect(!isWanted)
            check.received(at: now)
        }
        let early = check.judge(at: at(1100), broker: "b")
        #expect(early == nil)
        // A lost connection: the next one delivers the retained messages again.
        var interrupted = check
        interrupted.interrupt()
        #expect(interrupted.due == nil)
        let outcome = check.judge(at: at(2000), broker: "b")
        #expect(
            outcome
                == .unknown(
                    "broker b has no gateway of site “store-024”; did you mean “store-042”?"))
    }

    @Test("a broker without gateways is found once")
    func empty() {
        var check = NameCheck(site: nil, gateway: nil)
        check.subscribed(at: at(0))
        let early = check.judge(at: at(200), broker: "b")
        #expect(early == nil && check.due == at(300))
        let outcome = check.judge(at: at(300), broker: "b")
        #expect(outcome == .noGateway && check.due == nil)
    }

    @Test("a message of the gateway ends the check")
    func known() {
        var check = NameCheck(site: "store-042", gateway: "entry-1")
        check.subscribed(at: at(0))
        let isWanted = check.includes(other)
        #expect(isWanted && check.due == nil)
        let outcome = check.judge(at: at(9000), broker: "b")
        #expect(outcome == nil)
    }
}
