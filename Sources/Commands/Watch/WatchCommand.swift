import CommandLine
import CommandSupport
import Contract
import MQTT
import Posix
import Primitives
import Subscriber

/// `sightline watch`: shows the beacons that the gateways hear.
package struct WatchCommand: Subcommand {
    package static let command = Command(
        name: "sightline watch",
        summary: "shows beacons and gateways live: a table on a terminal, otherwise lines",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: "only this site"),
            Option("gateway", value: "GATEWAY", help: "only gateways with this id"),
            Option("json", help: "write the messages unchanged, one per line"),
            Option("seconds", value: "N", help: "end after N seconds"),
        ] + BrokerOptions.credentials, manual: manual)

    let connection: BrokerOptions
    let site: String?
    let gateway: String?
    let json: Bool
    let seconds: Int?

    package init(_ invocation: Invocation) throws(UsageError) {
        connection = try BrokerOptions(invocation)
        site = try connection.site(invocation)
        gateway = try BrokerOptions.name("gateway", invocation)
        json = invocation.has("json")
        seconds = try Self.seconds(invocation)
    }

    private static func seconds(_ invocation: Invocation) throws(UsageError) -> Int? {
        guard let text = invocation["seconds"] else { return nil }
        guard let seconds = Int(text), (1...31_536_000).contains(seconds) else {
            throw UsageError(
                "--seconds must be a whole number from 1 to 31536000, not “\(text.printable())”")
        }
        return seconds
    }

    /// The topic filters of the subscriptions.
    var filters: [String] {
        [Topics.Kind.status, .sightings].map {
            Topics.filter($0, root: connection.root, site: site, gateway: gateway)
        }
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        do throws(BrokerOptions.Unusable) {
            let settings = try connection.settings(maximumPayload: SightingsMessage.maxBytes)
            var session = WatchSession(self, Environment(), at: .now)
            var loop = TerminalLoop(
                BrokerLink(settings, filters: filters),
                usesScreen: session.presentation == .table)
            return loop.run(&session, to: &output)
        } catch {
            StandardOutput.report(error.message)
            return .wrongUse
        }
    }
}
