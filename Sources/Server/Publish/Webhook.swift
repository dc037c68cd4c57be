import Contract
import MQTT
import Posix
import Primitives
import ServerConfiguration

/// Posts events to an address on the web, one after the other, on a thread of its own: a slow receiver delays nothing else.
///
/// The first event is tried until the receiver takes it, or refuses the document itself. Further ones wait within a bound; beyond it,
/// the oldest of them are lost.
final class Webhook: Sendable {
    let settings: WebhookSettings
    private let queue: WebhookQueue?
    private let failure: String?

    /// The time for one attempt.
    private static let limit = Duration.seconds(5)
    /// The attempts of an event that the receiver refuses.
    private static let mostRefusals = 3

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - pauses: in milliseconds, before each attempt; the last one repeats.
    ///   - memory: how long the loss of a refused event is a fault.
    init(
        _ settings: WebhookSettings, pauses: [Int] = [0, 1000, 10_000, 30_000],
        memory: Duration = .seconds(600)
    ) {
        self.settings = settings
        do throws(Errno) {
            let queue = try WebhookQueue()
            let thread = try Thread(name: "webhook") {
                while let event = queue.next() {
                    Self.deliver(event, settings, pauses, queue, memory)
                }
            }
            thread.detach()
            (self.queue, failure) = (queue, nil)
        } catch {
            (queue, failure) = (nil, "can't start: \(error)")
        }
    }

    deinit { queue?.end() }

    /// Events that were delivered.
    var sent: Int { queue?.counts.sent ?? 0 }

    /// Events that were not, also for want of room.
    var lost: Int { queue?.counts.lost ?? 0 }

    /// What does not work, in a sentence.
    var fault: String? {
        (failure ?? queue?.failure(at: .now)).map {
            "The webhook \(settings.address.place) does not take events: \($0)."
        }
    }

    func post(_ event: String, _ document: [UInt8]) {
        guard settings.events.contains(where: { $0.rawValue == event }) else { return }
        queue?.add(document)
    }

    private static func deliver(
        _ event: [UInt8], _ settings: WebhookSettings, _ pauses: [Int], _ queue: WebhookQueue,
        _ memory: Duration
    ) {
        var refusals = 0
        for number in 0... {
            let pause = pauses[min(number, pauses.count - 1)]
            guard queue.waits(.milliseconds(pause)) else { return }
            switch attempt(event, settings, until: .now + limit) {
            case nil: return queue.sent()
            case .failed(let why): queue.failed(why)
            case .refused(let why):
                refusals += 1
                guard refusals >= mostRefusals else { queue.failed(why); continue }
                return queue.lost(why, until: .now + memory)
            }
        }
    }

    /// Why the receiver did not take an event.
    private enum Failure {
        case failed(String)
        /// Another attempt has the same answer: the document is the fault.
        case refused(String)
    }

    /// - Returns: why the receiver did not take it; `nil` if it did.
    private static func attempt(
        _ event: [UInt8], _ settings: WebhookSettings, until deadline: Instant
    ) -> Failure? {
        let status: Int
        do throws(WebExchange.Failure) {
            status = try WebExchange(settings.address, caFile: settings.caFile).answer(
                "POST", settings.address.path,
                headers: [
                    "User-Agent: sightline-server/\(Version.current)",
                    "Content-Type: application/json",
                ], body: event, maxBytes: nil, until: deadline
            ).status
        } catch {
            return .failed(error.sentence)
        }
        if (200...299).contains(status) { return nil }
        // RFC 9110, section 15.5: of the content, its length and its type.
        let isRefusal = [400, 413, 415, 422].contains(status)
        return isRefusal ? .refused("it answers \(status)") : .failed("it answers \(status)")
    }
}

extension WebhookSettings {
    /// Why the certificates to trust can't be used; `nil` if they can.
    var fault: String? {
        guard let caFile else { return nil }
        do throws(TLSStream.Failure) { try TLSStream.check(TLSSettings(caFile: caFile)) } catch {
            if case .file(let sentence) = error { return sentence }
        }
        return nil
    }
}
