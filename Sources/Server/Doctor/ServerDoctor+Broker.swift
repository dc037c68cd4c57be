import Contract
import Diagnosis
import JSON
import MQTT
import Queueing
import Results
import ServerConfiguration
import Session

extension ServerDoctor {
    /// - Parameters:
    ///   - page: of the running server; `nil` if none runs.
    ///   - isUsable: whether all files of the section `mqtt` are readable.
    func examineBroker(
        _ configuration: ServerConfiguration, page: ServerPage?, isUsable: Bool
    ) {
        guard let broker = configuration.broker else { return }
        let examination = BrokerExamination(broker, section: "mqtt", report: report)
        let settings = examination.reach(isUsable: isUsable) { () throws(PasswordFile.Unusable) in
            try broker.connection(usualClientID: "sightline-server/\(configuration.id)")
        }
        if let page {
            if settings != nil { examination.add(.loginBesideServer) }
            let health = page.get("/healthz")?.detail ?? ""
            let faults = [ServerState.startingFault, ServerState.disconnectedFault]
            guard !faults.contains(where: { health.contains($0) }) else { return skipGateways() }
            for site in configuration.sites { examineGateways(of: site, page) }
            return
        }
        guard let settings else { return skipGateways() }
        let results = ResultTopics(root: configuration.resultsRoot)
        let status = results.status(of: configuration.id)
        let filters = configuration.sites.flatMap {
            Ingest.filters(root: configuration.topicRoot, results: results, site: $0.site)
        }
        let written = writtenTopics(configuration, results)
        let observation = examination.rights(
            settings, reading: filters + [status], required: filters, writing: written + [status],
            status: status, as: SiteSource.durableReading
        ) { observation in
            .session(
                observation.documents[status], hasRival: observation.hasRival, configuration.id)
        }
        guard let observation else { return skipGateways() }
        guard observation.retains else {
            return report(
                Check("gateway", .skipped, "the broker keeps no status of a gateway to read"))
        }
        for site in configuration.sites {
            let filter = "\(configuration.topicRoot)/\(site.site)/+/status"
            guard observation.answers[filter]?.isFailure == false else {
                let reason = "depends on the subscription to \(filter)"
                report(Check("gateway", .skipped, "\(site.site): \(reason)"))
                continue
            }
            for gateway in site.gateways {
                let topic = "\(configuration.topicRoot)/\(site.site)/\(gateway)/status"
                report(
                    .gateway(
                        "\(site.site)/\(gateway)", status: observation.documents[topic],
                        atAll: observation.documents.keys.contains(topic)))
            }
        }
    }

    /// The topics that the server writes, beside its status. The rights of one queue are those of all.
    private func writtenTopics(
        _ configuration: ServerConfiguration, _ results: ResultTopics
    ) -> [String] {
        let home = DiscoveryPublisher(configuration)
        let visits = configuration.privacy == .day ? [ResultTopics.Kind.visits] : []
        let kinds =
            PresentKind.all.map { ($0, [$0.kind.topic].compactMap(\.self)) }
            + [(PresentKind.queues, [.minutes] + visits)]
        return configuration.sites.flatMap { site in
            kinds.flatMap { present, topics in
                present.items(site).prefix(1).flatMap { item in
                    topics.map { results.topic($0, site: site.site, item: item) }
                }
            } + (home?.publications(of: [site]).prefix(1).map(\.topic) ?? [])
        }
    }

    /// Without the broker, nothing is known of gateways.
    private func skipGateways() {
        report(Check("gateway", .skipped, "depends on the server's connection to the broker"))
    }

    /// Asks the running server for the gateways of a site.
    private func examineGateways(of site: SiteLayout, _ page: ServerPage) {
        let answer = page.get("/api/v1/sites/\(site.site)/gateways")
        guard let answer, answer.status == 200, case .array(let known)? = answer.json?["gateways"]
        else {
            let reason = answer?.detail ?? "the running server does not answer"
            return report(Check("gateway", .skipped, "\(site.site): \(reason)"))
        }
        for gateway in site.gateways {
            let json = known.first { $0["gateway"] == .string(gateway) }
            report(.gateway("\(site.site)/\(gateway)", json ?? .null))
        }
        for json in known where json["configured"] == false {
            guard case .string(let gateway)? = json["gateway"] else { continue }
            report(.unused("\(site.site)/\(gateway)"))
        }
    }
}
