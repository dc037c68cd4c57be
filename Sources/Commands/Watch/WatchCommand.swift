import CommandLine
import CommandSupport
import Contract
import MQTT
import Primitives

/// `sightline watch`: what the gateways of a chain hear, as they say it.
package struct WatchCommand: Subcommand {
    package static let command = Command(
        name: "sightline watch",
        summary: "shows what gateways hear: a live table on a terminal, lines elsewhere",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: "this site only"),
            Option("gateway", value: "GATEWAY", help: "gateways of this id only"),
            Option("json", help: "write the messages as they came, one per line"),
            Option("seconds", value: "N", help: "end after so many seconds"),
        ] + BrokerOptions.credentials, manual: manual)

    let connection: BrokerOptions
    let site: String?
    let gateway: String?
    let json: Bool
    let seconds: Int?

    package init(_ invocation: Invocation) throws(UsageError) {
        connection = try BrokerOptions(invocation)
        site = try BrokerOptions.name("site", invocation)
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

    /// What to subscribe to.
    var filters: [String] {
        [Topics.Kind.status, .sightings].map {
            Topics.filter($0, root: connection.root, site: site, gateway: gateway)
        }
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        do throws(BrokerOptions.Unusable) {
            let settings = try connection.settings(maximumPayload: SightingsMessage.maxBytes)
            var watch = Watch(self, settings, Environment())
            return watch.run(seconds: seconds)
        } catch {
            StandardOutput.complain(error.sentence)
            return .wrongUse
        }
    }
}
