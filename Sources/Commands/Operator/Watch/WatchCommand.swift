import CommandLine
import Contract
import MQTT

/// `sightline watch`: what the gateways of a chain hear, as they say it.
struct WatchCommand {
    static let command = Command(
        name: "sightline watch",
        summary: "shows what gateways hear: a live table on a terminal, lines elsewhere",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: "this site only"),
            Option("gateway", value: "GATEWAY", help: "gateways of this id only"),
            Option("json", help: "write the messages as they came, one per line"),
            Option("seconds", value: "N", help: "end after so many seconds"),
        ] + BrokerOptions.credentials, manual: Sightline.watchManual)

    let connection: BrokerOptions
    let site: String?
    let gateway: String?
    let json: Bool
    let seconds: Int?

    init(_ invocation: Invocation) throws(UsageError) {
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

    /// How to connect, with the password read; throws a sentence.
    func settings() throws(BrokerOptions.Unusable) -> ConnectionSettings {
        try connection.settings(maximumPayload: SightingsMessage.maxBytes)
    }
}
