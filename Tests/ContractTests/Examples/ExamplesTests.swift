import Contract
import HomeAssistant
import JSON
import Primitives
import Sightings
import TestVectors
import Testing

/// The code writes and reads exactly the examples in `config/contract`.
@Suite struct ExamplesTests {
    private static let session = "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10"
    private static let at: UnixTime = 1_780_000_000_000

    @Test("the tests cover every example file")
    func names() throws {
        var names = SightingsExample.all.map { "sightings.\($0.name)" }
        names.append("trackers")
        // ServerTests has the messages of servers and tills.
        names += ["server-status.online", "queue-served.three"]
        names += StatusMessage.State.allCases.map { "status.\($0.rawValue)" }
        names += Self.healths.map(\.name) + Self.reports.map(\.name) + Self.layers.map(\.name)
        #expect(try ContractFiles.examples() == names.sorted())
    }

    @Test(
        "written sightings equal the example, which is read back", arguments: SightingsExample.all)
    func sightings(example: SightingsExample) throws {
        let topics = try #require(Topics(site: "store-042", gateway: "entry-1"))
        var buffer: [UInt8] = []
        SightingsWriter(topics: topics, session: Self.session)
            .write(example.batch, stamp: example.stamp, lost: example.lost, into: &buffer)
        let bytes = try ContractFiles.example("sightings.\(example.name)", written: buffer)
        #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: buffer, as: UTF8.self))

        let message = try SightingsMessage(decoding: bytes)
        let batch = example.batch
        #expect(message.site == "store-042" && message.gateway == "entry-1")
        #expect(message.session == Self.session)
        #expect(message.seq == batch.seq && message.seqs == batch.seqs)
        #expect(message.part == batch.part && message.lost == example.lost)
        #expect(message.radio == batch.radio && message.state == batch.state)
        #expect(message.clock == example.stamp.clock)
        #expect(
            message.windowStart.milliseconds == example.stamp.milliseconds(of: batch.interval.start)
        )
        #expect(
            message.windowEnd.milliseconds == example.stamp.milliseconds(of: batch.interval.end))
        #expect(message.sightings.map(\.identity) == batch.sightings.map(\.identity))
        #expect(message.sightings.map(\.count) == batch.sightings.map(\.count))
        #expect(message.sightings.map(\.isEcho) == batch.sightings.map(\.isEcho))
        let told = batch.sightings.map(\.telemetry)
        #expect(message.sightings.map { $0.telemetry?.millivolts } == told.map { $0?.millivolts })
        #expect(
            message.sightings.map { $0.telemetry?.celsius }
                == told.map { $0?.temperature.map { Double($0) / 256 } })
        #expect(
            message.sightings.map { $0.telemetry?.uptime }
                == told.map { $0.map { .milliseconds(Int64($0.uptime) * 100) } })
        #expect(
            message.sightings.map { $0.signal?.max }
                == batch.sightings.map { $0.signal.count > 0 ? $0.signal.max : nil })
    }

    @Test(
        "a written status equals the example, which is read back",
        arguments: StatusMessage.State.allCases)
    func status(state: StatusMessage.State) throws {
        let message = StatusMessage(
            state: state, session: Self.session, at: Self.at, version: "0.1.0", clock: .synced)
        let bytes = try ContractFiles.example(
            "status.\(state.rawValue)", written: message.encoded)
        #expect(bytes == message.encoded)
        #expect(try StatusMessage(decoding: bytes) == message)
    }

    @Test("written health equals the example", arguments: healths)
    func health(example: Example<Health>) throws {
        let written = example.message.encoded
        let bytes = try ContractFiles.example(example.name, written: written)
        #expect(bytes == written)
        #expect(try Health(decoding: bytes) == example.message)
    }

    @Test("health of an agent of version 0.1 is read; what it lacks is unknown, not zero")
    func olderHealth() throws {
        let text = #"""
            {"v":1,"session":"a","at":5,"uptimeSeconds":7,"radio":{"reports":3,"beacons":2},
             "messages":{},"broker":{},"outbox":{"batches":4},"clock":{"state":"synced","steps":0},"more":1}
            """#
        let health = try Health(decoding: Array(text.utf8))
        #expect(health.at == 5 && health.uptime == .seconds(7))
        #expect(health.radio.reports == 3 && health.radio.isHearing == nil)
        #expect(health.radio.reportsPerSecond == nil && health.outbox.oldestAge == nil)
        #expect(health.outbox.batches == 4 && health.clock.state == .synced && health.broker == nil)
    }

    @Test("every prefix of health is refused, and so are values of other types")
    func faultyHealth() {
        let bytes = Self.healths[0].message.encoded
        for length in 0..<bytes.count {
            #expect(throws: Faults.self) { try Health(decoding: Array(bytes.prefix(length))) }
        }
        for text in [
            "[]", #"{"v":2,"session":"a"}"#, #"{"v":1}"#,
            #"{"v":1,"session":"a","radio":{"reports":-1}}"#,
            #"{"v":1,"session":"a","radio":7}"#,
            #"{"v":1,"session":"a","clock":{"state":"late"}}"#,
            #"{"v":1,"session":"a","outbox":{"durable":1}}"#,
        ] {
            #expect(throws: Faults.self) { try Health(decoding: Array(text.utf8)) }
        }
    }

    @Test("written trackers equal the example")
    func trackers() throws {
        let names = ["Forklift", "Cage", "Key"]
        let trackers = zip(names, Presence.State.allCases).enumerated().map { index, pair in
            let identity = Advertisements.beacon(UInt16(index)).identity
            return (tracker: Tracker(name: pair.0, identity: identity), state: pair.1)
        }
        let written = TrackersMessage(
            session: Self.session, at: Self.at, trackers: trackers
        ).encoded
        let bytes = try ContractFiles.example("trackers", written: written)
        #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: written, as: UTF8.self))
    }

    @Test("a written report equals the example, which is read back", arguments: reports)
    func reported(example: Example<ReportedMessage>) throws {
        let written = example.message.encoded
        let bytes = try ContractFiles.example(example.name, written: written)
        #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: written, as: UTF8.self))
        #expect(try ReportedMessage(decoding: bytes) == example.message)
    }

    @Test("a layer is read and written back unchanged", arguments: layers)
    func desired(example: Example<String>) throws {
        let written = Array(example.message.utf8)
        let bytes = try ContractFiles.example(example.name, written: written)
        #expect(bytes == written)
        #expect(try LayerDocument(parsing: bytes).json.text == example.message)
    }

    @Test("the faults in the examples of invalid layers are reported", arguments: wrongLayers)
    func wrongLayer(name: String) throws {
        let text = try ContractFiles.text("examples/invalid/config-desired.\(name).json")
        let json = try JSON(parsing: Array(text.utf8), maxBytes: 65_536)
        let payload = try #require(json["payload"])
        #expect(throws: Faults.self) { try LayerDocument(payload) }
    }

    static let wrongLayers = [
        "broker", "major-70000", "max-identities", "no-version", "unknown-key", "version-0",
    ]

    struct Example<Message: Sendable>: Sendable, CustomTestStringConvertible {
        let name: String
        let message: Message

        var testDescription: String { name }
    }

    static let healths: [Example<Health>] = {
        var usual = Health(session: session, at: at, uptime: .seconds(3600))
        usual.radio.isHearing = true
        usual.radio.reportsPerSecond = 412
        usual.radio.reports = 1_483_200
        usual.radio.beacons = 360_000
        usual.radio.filtered = 10_800
        usual.radio.malformed = 2
        usual.radio.fragments = 9
        usual.radio.dropped = 7
        usual.radio.eddystoneURLs = 40
        usual.radio.eddystoneEIDs = 25
        usual.radio.identitiesPerSender = 212
        usual.radio.lastReportAge = .milliseconds(12)
        usual.radio.restarts = 1
        usual.radio.interferences = 3
        usual.radio.steps.probes = 1
        usual.radio.scanDutyPercent = 80
        usual.messages.published = 3605
        usual.messages.acknowledged = 3600
        usual.messages.lost = 3
        usual.messages.lastLossAt = at - .seconds(5)
        usual.broker = "broker.example:8883"
        usual.reconnects = 2
        usual.takeovers = 1
        usual.certificateExpiresAt = at + .seconds(90 * 86_400)
        usual.outbox.batches = 1
        usual.outbox.bytes = 18_432
        usual.outbox.oldestAge = .milliseconds(4)
        usual.outbox.isDurable = true
        usual.process.residentBytes = 11_534_336
        usual.process.cpuSeconds = 14.25
        usual.clock.state = .synced
        usual.clock.steps = 1
        return [
            Example(name: "health", message: usual),
            Example(
                name: "health.begun",
                message: Health(session: session, at: at, uptime: .zero)),
        ]
    }()

    static let reports: [Example<ReportedMessage>] = {
        let radio = ReportedMessage.Radio(
            address: "02:00:5e:00:53:01", advertising: true, intervalMs: 100, commands: "legacy")
        let tuning = GatewaySettings(
            advertise: AdvertiseSettings(uuid: Advertisements.uuid, major: 42, minor: 7))
        let slower = GatewaySettings(
            advertise: AdvertiseSettings {
                $0 = AdvertiseSettings(uuid: Advertisements.uuid, major: 42, minor: 7)
                $0.intervalMs = 101
                $0.txPowerDbm = 4
            })
        let applied = ReportedMessage(
            session: session, versions: LayerVersions(fleet: 3, site: 12, gateway: 7),
            digests: LayerDigests(
                fleet: digest(of: "fleet"), site: digest(of: "site"), gateway: digest(of: "gateway")
            ),
            // The clock of the gateway was not set when the fleet's document came into force.
            since: LayerTimes(
                site: 1_779_900_000_000,
                gateway: 1_779_990_000_000),
            status: .applied, errors: [], effective: tuning.json, radio: radio, isPersisted: true)
        var untuned = applied
        untuned.versions = LayerVersions()
        untuned.digests = LayerDigests()
        untuned.since = LayerTimes()
        untuned.effective = GatewaySettings().json
        untuned.radio = ReportedMessage.Radio()
        var rejected = applied
        rejected.status = .rejected
        rejected.errors = [
            LayerFault(
                layer: .gateway, version: 8,
                fault: Fault(
                    .root.appending("advertise").appending("major"), .outOfRange,
                    "major must be 0…65535, not 70000")),
            LayerFault(
                layer: .site, version: nil,
                fault: Fault(.root, .invalidJSON, "the text ends in the middle of a value")),
        ]
        var conflicting = rejected
        conflicting.errors = [
            LayerFault(
                layer: .site, version: 12,
                fault: Fault(
                    .root.appending("version"), .conflictingVersion,
                    "the gateway has another document of version 12: publish a higher version"))
        ]
        var refused = applied
        refused.status = .refused
        refused.errors = [
            LayerFault(
                layer: .gateway, version: 8,
                fault: Fault(
                    .root.appending("advertise"), .controllerRefused,
                    "the controller refused the parameters: 0x12, invalid parameters"))
        ]
        refused.effective = slower.json
        refused.radio.commands = "extended"
        refused.radio.intervalMs = 101.25
        refused.radio.txPowerDbm = 4
        refused.isPersisted = false
        return [
            Example(name: "config-reported.applied", message: applied),
            Example(name: "config-reported.untuned", message: untuned),
            Example(name: "config-reported.rejected", message: rejected),
            Example(name: "config-reported.conflicting", message: conflicting),
            Example(name: "config-reported.refused", message: refused),
        ]
    }()

    /// The digest of an example of a layer's document.
    private static func digest(of layer: String) -> SHA256Digest? {
        let text = layers.first { $0.name == "config-desired.\(layer)" }?.message ?? ""
        return try? LayerDocument(parsing: Array(text.utf8)).digest
    }

    static let layers: [Example<String>] = [
        Example(
            name: "config-desired.fleet",
            message: #"{"version":3,"advertise":{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","#
                + #""measuredPower":-59,"intervalMs":100,"keepOnExit":false},"#
                + #""report":{"windowMs":1000,"maxSilenceMs":10000,"maxSightingsPerMessage":500},"#
                + #""filter":{"uuids":["e2c56db5-dffb-48d2-b060-d0f5a71096e0"]}}"#),
        Example(
            name: "config-desired.site",
            message: #"{"version":12,"advertise":{"major":42},"filter":{"majors":[42]}}"#),
        Example(
            name: "config-desired.gateway",
            message: #"{"version":7,"advertise":{"enabled":true,"minor":7,"txPowerDbm":-4}}"#),
        Example(
            name: "config-desired.undoing",
            message: #"{"version":8,"advertise":{"minor":7,"txPowerDbm":null},"filter":null}"#),
    ]
}
