import CommandLine
import Contract
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline watch`: shows the beacons that the gateways hear.
package struct WatchCommand: Subcommand {
    package static let command = Command(
        name: "sightline watch",
        summary: "shows beacons and gateways live: a table on a terminal, otherwise lines",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: "only this site"),
            Option("gateway", value: "GATEWAY", help: "only gateways with this id"),
            Option("json", help: "write each message as a line of JSON with its topic"),
            Option("seconds", value: "N", help: "end after N seconds"),
            Option(
                "note", value: "TEXT", help: "show TEXT above the lists; repeatable",
                isRepeatable: true),
        ] + BrokerOptions.credentials, manual: manual)

    let connection: BrokerOptions
    let site: String?
    let gateway: String?
    let json: Bool
    let seconds: Int?
    let notes: [String]

    package init(_ invocation: Invocation) throws(UsageError) {
        connection = try BrokerOptions(invocation)
        site = try connection.site(invocation)
        gateway = try BrokerOptions.name("gateway", invocation)
        json = invocation.has("json")
        seconds = try Self.seconds(invocation)
        notes = invocation.all("note").map { $0.printable(limit: 300) }
    }

    private static func seconds(_ invocation: Invocation) throws(UsageError) -> Int? {
        guard let text = invocation["seconds"] else { return nil }
        guard let seconds = Int(text), (1...31_536_000).contains(seconds) else {
            throw UsageError(
                "--seconds must be a whole number from 1 to 31536000, not “\(text.printable())”")
        }
        return seconds
    }

    /// The topic filters of the subscriptions. The status of all gateways shows which sites exist.
    var filters: [String] {
        [
            Topics.filter(.status, root: connection.root),
            Topics.filter(.sightings, root: connection.root, site: site, gateway: gateway),
        ] + dispensableFilters
    }

    /// A broker may refuse these.
    private var dispensableFilters: [String] {
        [Topics.Kind.health, .reported].map {
            Topics.filter($0, root: connection.root, site: site, gateway: gateway)
        }
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        do throws(BrokerOptions.Unusable) {
            let settings = try connection.settings(maximumPayload: SightingsMessage.maxBytes)
            var session = WatchSession(self, Environment(), at: .now)
            var loop = TerminalLoop(
                BrokerSession(
                    .init(settings, filters: filters, dispensable: Set(dispensableFilters))),
                usesScreen: session.presentation == .screen, advice: connection.advice)
            return loop.run(&session, to: &output)
        } catch {
            StandardOutput.report(error.message)
            return .wrongUse
        }
    }
}
