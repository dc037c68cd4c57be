import CommandLine
import Contract
import Inventory
import JSON
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

// What gateways hear.
extension BeaconsCommand {
    func recorded() throws(Unusable) -> HeardBeacons {
        var recording = HeardRecording(site: invocation["site"])
        for path in invocation.all("input") {
            do throws(TextFile.Unreadable) {
                try recording.read(path)
            } catch {
                let name = path == "-" ? "standard input" : path.printable(limit: 400)
                throw Unusable(sentence: "\(name): can't be read: \(error)", status: .failed)
            }
        }
        if recording.invalid > 0 {
            StandardOutput.report(
                "\(count(recording.invalid, "line")) of the input left out: no message")
        }
        return recording.heard
    }

    private func heard(to output: inout StandardOutput) throws(Unusable) -> HeardBeacons {
        if invocation.has("input") { return try recorded() }
        let options: BrokerOptions
        let site: String?
        do throws(UsageError) {
            options = try BrokerOptions(invocation)
            site = try options.site(invocation)
        } catch {
            throw Unusable(sentence: error.description)
        }
        var session = HearingSession(root: options.root, site: site, seconds: seconds)
        let status = options.run(
            &session, session.filters, quality: .atMostOnce,
            maximumPayload: SightingsMessage.maxBytes, to: &output)
        guard status == .done else { throw Unusable(sentence: "", status: status) }
        return session.heard
    }

    func compare(
        _ registry: Registry, to output: inout StandardOutput
    ) throws(Unusable) -> ExitCode {
        let heard = try heard(to: &output)
        guard let latest = heard.latest else {
            throw Unusable(
                sentence: "no gateway has sent a message of sightings", status: .failed)
        }
        let comparison = RegistryComparison(registry, heard, on: UTCTime(latest).date)
        if invocation.has("json") {
            for row in comparison.rows { output.write(row.json.text + "\n") }
            output.write(comparison.summary.text + "\n")
        } else {
            output.write(comparison.text(showsAll: invocation.has("all")))
        }
        let deaf = heard.deaf.map { $0.printable() }
        if !deaf.isEmpty {
            StandardOutput.report(
                "not listening: \(deaf.joined(separator: ", ")); what is missing may be near them")
        }
        return comparison.count(.missing) > 0 ? Self.missing : .done
    }
}
