import Contract
import JSON
import Primitives

/// One site: what is measured there, and the kinds of its beacons.
package struct SiteLayout: ConfigurationSection {
    package var site = ""
    package var queues: [QueueLayout] = []
    package var regions: [RegionLayout] = []
    package var beacons = BeaconKinds()
    /// The path of the site's plan, as the file has it.
    package var plan: String?
    /// The gateways and the zones of the plan; no keys of the file.
    package var planGateways: [String] = []
    package var planZones: [String] = []
    /// What a survey has measured.
    package var closeLevels: [SurveyedLevel] = []
    /// How long each gateway learns its close level after its first tag.
    package var learning = Duration.seconds(900)
    /// Whether windows of a gateway whose clock is not set count.
    package var acceptsUnsyncedClocks = false

    package init() {}

    private static let mostQueues = 32

    package static let help =
        "A site, with what is measured there: queues, regions, registered beacons or places."
    package static let keys: [ConfigurationKey<SiteLayout>] = [
        .value(
            "site", \.site, .queueName, isRequired: true,
            help: "The site, as the gateways' configuration has it."),
        .value(
            "queues", \.queues, .sections(atMost: mostQueues),
            help:
                "The queues of the site. A site without queues has regions, a registry of beacons or a plan."
        ),
        .value(
            "regions", \.regions, .sections(atMost: RegionLayout.most),
            help: "Regions in which the server looks for beacons, beside the queues."),
        .section("beacons", \.beacons),
        .optional(
            "plan", \.plan, .path, example: "/etc/sightline-server/zones.geojson",
            help:
                "The plan of the site, zones.geojson: its floor, gateways and zones in metres, which SIGHUP reads again. With it, "
                + "the server finds where the beacons of the registry are."),
        .value(
            "closeLevels", \.closeLevels, .sections(atMost: SurveyedLevel.most),
            help:
                "What sightline survey has measured next to the gateways. Such a gateway need not learn before its queues are known. "
                + "After twenty beacons of visitors, their powers alone decide."),
        .value(
            "learningSeconds", \.learning, .seconds(in: 0...86_400),
            help:
                "How long a gateway without a learnt level listens after its first beacon, before "
                + "its queues are known."),
        .value(
            "acceptUnsyncedClocks", \.acceptsUnsyncedClocks, .bool,
            help:
                "Whether windows of a gateway whose clock is not set count. Only for gateways that "
                + "share one clock, as on one machine."),
    ]

    package mutating func complete(_ reader: inout ObjectReader) {
        if isEmpty, reader.json("queues") ?? .array([]) == .array([]) {
            reader.note(
                "queues", .missing,
                "a site needs queues, regions, a registry of beacons or a plan")
        }
        reader.noteRepeated("queues", queues.map(\.name))
        reader.noteRepeated("regions", regions.map(\.name))
        reader.noteRepeated("closeLevels", closeLevels.map(\.gateway))
        noteUnknown(&reader)
        noteIndistinguishable(&reader)
    }

    /// Whether nothing is measured there.
    private var isEmpty: Bool {
        queues.isEmpty && regions.isEmpty && beacons.registry == nil && plan == nil
    }

    /// Notes surveyed gateways that belong to no queue.
    private func noteUnknown(_ reader: inout ObjectReader) {
        let known = gateways
        for level in closeLevels where !level.gateway.isEmpty && !known.contains(level.gateway) {
            let near = NearestWord.to(level.gateway, among: known)
            reader.note(
                "closeLevels", .outOfRange,
                "\(level.gateway.quotedForPeople) is a gateway of no queue of the site"
                    + (near.map { "; did you mean \($0.quotedForPeople)?" } ?? ""))
        }
    }

    /// Notes queues with the same gateways at entry and till: one of them would have all visits, and the other none.
    private func noteIndistinguishable(_ reader: inout ObjectReader) {
        for (index, queue) in queues.enumerated() where !queue.gateways.isEmpty {
            guard let other = queues[..<index].first(where: queue.hasEnds(of:)) else { continue }
            reader.note(
                "queues", .outOfRange,
                "the queues \(other.name.quotedForPeople) and \(queue.name.quotedForPeople) have the "
                    + "same gateways at entry and till; give each a till of its own, or make them one queue"
            )
        }
    }

    /// The gateways of all queues, in alphabetical order. Their indices identify them everywhere in this room.
    package var gateways: [String] { Array(Set(queues.flatMap(\.gateways))).sorted() }

    /// The gateways of all regions, in alphabetical order.
    package var regionGateways: [String] { Array(Set(regions.flatMap(\.gateways))).sorted() }

    /// The gateways of which the server expects messages.
    package var measuringGateways: [String] {
        Array(Set(gateways + regions.flatMap(\.gateways) + planGateways)).sorted()
    }
}

extension ObjectReader {
    mutating func noteEmpty(_ key: String, _ noun: String) {
        guard json(key) == .array([]) else { return }
        note(key, .missing, "\(key) needs at least one \(noun)")
    }

    mutating func noteRepeated(_ key: String, _ names: [String]) {
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            note(key, .outOfRange, "\(key) has \(name.quotedForPeople) twice")
        }
    }
}
