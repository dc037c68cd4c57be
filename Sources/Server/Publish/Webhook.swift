import Contract
import MQTT
import Posix
import Primitives
import ServerConfiguration

/// Posts events to an address on the web, one after the other, on a thread of its own: a slow receiver delays nothing else.
///
/// An event that fails is tried again after the pauses, and then lost. Further ones wait within a bound; beyond it they are lost.
final class Webhook: Sendable {
    private struct State {
        var sent = 0
        var lost = 0
        /// Why the last attempt failed.
        var failure: String?
    }

    let settings: WebhookSettings
    private let events: Mailbox<[UInt8]>?
    private let state = Guarded(State())

    static let most = 1000
    /// The time for one attempt.
    private static let limit = Duration.seconds(5)

    /// Starts the thread.
    ///
    /// - Parameter pauses: in milliseconds, before each attempt.
    init(_ settings: WebhookSettings, pauses: [UInt32] = [0, 1000, 10_000]) {
        self.settings = settings
        var mailbox: Mailbox<[UInt8]>?
        do throws(Errno) {
            let events = try Mailbox<[UInt8]>(capacity: Self.most)
            mailbox = events
            let state = state
            let thread = try Thread(name: "webhook") {
                while (try? Poll.wait(for: [Poll.Interest(events.descriptor)])) != nil {
                    for event in events.take() {
                        // The owner has gone.
                        if event.isEmpty { return }
                        Self.deliver(event, settings, pauses, state)
                    }
                }
            }
            thread.detach()
        } catch {
            state.withLock { $0.failure = "can't start: \(error)" }
        }
        events = mailbox
    }

    deinit { events?.post([]) }

    /// Events that were delivered.
    var sent: Int { state.withLock { $0.sent } }

    /// Events that were not, also for want of room.
    var lost: Int { state.withLock { $0.lost } + (events?.refused ?? 0) }

    /// What does not work, in a sentence.
    var fault: String? {
        state.withLock { $0.failure }.map {
            "The webhook \(settings.address.place) does not take events: \($0)."
        }
    }

    func post(_ event: String, _ document: [UInt8]) {
        guard settings.events.contains(where: { $0.rawValue == event }) else { return }
        events?.post(document)
    }

    private static func deliver(
        _ event: [UInt8], _ settings: WebhookSettings, _ pauses: [UInt32], _ state: Guarded<State>
    ) {
        for pause in pauses {
            _ = try? Poll.wait(for: [], timeout: Int(pause))
            let failure = attempt(event, settings, until: .now + limit)
            state.withLock { $0.failure = failure }
            if failure == nil { return state.withLock { $0.sent += 1 } }
        }
        state.withLock { $0.lost += 1 }
    }

    /// - Returns: why the receiver did not take it; `nil` if it did.
    private static func attempt(
        _ event: [UInt8], _ settings: WebhookSettings, until deadline: Instant
    ) -> String? {
        let address = settings.address
        let stream: any WireStream
        do throws(Errno) {
            let socket = try Sockets.connect(to: .tcp(host: address.host, port: address.port))
            if address.isTLS {
                let tls = TLSSettings(caFile: settings.caFile)
                do throws(TLSStream.Failure) {
                    let secured = try TLSStream(socket, to: address.host, tls, until: deadline)
                    if let fault = secured.fault { return "\(fault)" }
                    stream = secured
                } catch {
                    switch error {
                    case .file(let sentence): return sentence
                    case .handshake(let words): return "no TLS: \(words)"
                    }
                }
            } else {
                stream = PlainStream(socket)
            }
        } catch {
            return "can't connect: \(error)"
        }
        let head = [
            "POST \(address.path) HTTP/1.1", "Host: \(address.place)",
            "User-Agent: sightline-server/\(Version.current)", "Content-Type: application/json",
            "Content-Length: \(event.count)", "Connection: close", "", "",
        ].joined(separator: "\r\n")
        guard stream.write(Array(head.utf8) + event, until: deadline) else { return "no answer" }
        // "HTTP/1.1 204 No Content" (RFC 9112, section 4).
        var answer: [UInt8] = []
        while answer.count < 12, let more = stream.read(until: deadline) { answer += more }
        let words = answer.prefix(12).split(separator: UInt8(ascii: " "))
        guard answer.starts(with: Array("HTTP/".utf8)), words.count == 2,
            let status = Int(String(decoding: words[1], as: UTF8.self))
        else { return answer.isEmpty ? "no answer" : "the answer is not HTTP" }
        return (200...299).contains(status) ? nil : "it answers \(status)"
    }
}
