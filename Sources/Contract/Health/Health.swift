import JSON
import Primitives
import Sightings

/// How an agent has been doing since its start: the message of the topic `health`. `Health.sections` declares its members.
package struct Health: Equatable, Sendable {
    package var session: String
    /// When it was written.
    package var at: UnixTime
    package var uptime: Duration
    package var radio = Radio()
    package var messages = Messages()
    /// The broker that the agent is connected to, `host:port`.
    package var broker: String?
    /// Connections to a broker after the first.
    package var reconnects: UInt64 = 0
    /// How often another agent with the same name took the agent's place at a broker.
    package var takeovers: UInt64 = 0
    /// When the agent's certificate for that broker expires; `nil` without one.
    package var certificateExpiresAt: UnixTime?
    package var outbox = Outbox()
    package var process = Process()
    package var clock = Clock()

    package init(session: String, at: UnixTime, uptime: Duration) {
        self.session = session
        self.at = at
        self.uptime = uptime
    }

    /// The counts of the radio's reports; `RadioCounts` defines the terms.
    package struct Radio: Equatable, Sendable {
        /// Whether the radio listens; `nil` before the first attempt, and in messages of agents of version 0.1.
        package var isHearing: Bool?
        /// Reports a second since the last message; left out before the first.
        package var reportsPerSecond: Int?
        package var reports: UInt64 = 0
        package var beacons: UInt64 = 0
        package var filtered: UInt64 = 0
        package var malformed: UInt64 = 0
        package var implausible: UInt64 = 0
        package var fragments: UInt64 = 0
        package var untracked: UInt64 = 0
        package var dropped: UInt64 = 0
        /// Reports with an Eddystone-URL frame.
        package var eddystoneURLs: UInt64 = 0
        /// Reports with an Eddystone-EID frame.
        package var eddystoneEIDs: UInt64 = 0
        /// The most identities of one sender in a window since the last message; `nil` if that is usual.
        package var identitiesPerSender: Int?
        /// How long ago the latest report came, to within a window; left out before the first.
        package var lastReportAge: Duration?
        /// How often the radio had to be set up again.
        package var restarts: UInt64 = 0
        /// How often another program or the kernel has changed its scan or its advertising.
        package var interferences: UInt64 = 0
        package var steps = RecoverySteps()
        /// The share of the time in which the radio listens; left out before it was opened.
        package var scanDutyPercent: Int64?
        /// Whether the controller has no public address; `nil` if it has one.
        package var usesRandomAddress: Bool?

        package init() {}
    }

    /// How often each step of the recovery was tried.
    package struct RecoverySteps: Equatable, Sendable {
        /// How often the agent probed a silent controller.
        package var probes: UInt64 = 0
        /// How often, to cure it, the scan was switched off and on, or a shared adapter opened again.
        package var rescans: UInt64 = 0
        /// How often, to cure it, the adapter was brought down and up.
        package var powerCycles: UInt64 = 0
        /// How often, to cure it, the controller was reset.
        package var resets: UInt64 = 0
        /// How often none of this helped, and it was left alone for a while.
        package var gaveUp: UInt64 = 0

        package init() {}
    }

    /// The counts of the messages of the topic `sightings`, by their outcome.
    package struct Messages: Equatable, Sendable {
        /// Handed to the broker, repetitions included.
        package var published: UInt64 = 0
        package var acknowledged: UInt64 = 0
        /// Acknowledged with an error by the broker.
        package var refused: UInt64 = 0
        /// Given up for want of room or for their age.
        package var lost: UInt64 = 0
        /// When a message was last refused or lost; `nil` if none was since the uplink
        /// began, or if the clock was not set then.
        package var lastLossAt: UnixTime?

        package init() {}
    }

    /// The batches that await the broker's acknowledgement.
    package struct Outbox: Equatable, Sendable {
        package var batches = 0
        package var bytes = 0
        /// The age of the oldest batch; left out when none waits.
        package var oldestAge: Duration?
        /// Of the batches, those on the disk.
        package var stored = 0
        /// Whether stored batches go to a working disk, as far as the agent knows.
        package var isDurable = false
        /// Messages that have become a part of another, for want of room.
        package var merged: UInt64 = 0
        /// Messages that were stored and can't be read any more.
        package var damaged: UInt64 = 0

        package init() {}
    }

    /// The agent's use of resources.
    package struct Process: Equatable, Sendable {
        package var residentBytes: Int64 = 0
        package var cpuSeconds = 0.0

        package init() {}
    }

    /// The wall clock.
    package struct Clock: Equatable, Sendable {
        package var state = ClockState.unsynced
        /// How often it was set.
        package var steps: UInt64 = 0

        package init() {}
    }
}

extension Health {
    /// The largest message that `init(decoding:)` reads.
    package static let maxBytes = 65_536

    /// Reads a message; unknown members are ignored, and absent ones keep their default.
    package init(decoding bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, unknownKeys: .areIgnored
        ) { reader in
            _ = reader.integer("v", in: 1...1)
            var health = Health(session: reader.string("session"), at: 0, uptime: .zero)
            for member in Self.general { member.read(&reader, &health) }
            for section in Self.sections {
                _ = reader.optionalObject(section.name) { reader in
                    for member in section.members { member.read(&reader, &health) }
                    return true
                }
            }
            return health
        }
    }
}

extension Health {
    /// The message's bytes.
    package var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("v", .integer(1))
            writer.member("session", .string(session))
            writer.put(Self.general, of: self)
            for section in Self.sections {
                writer.member(section.name) { $0.put(section.members, of: self) }
            }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func put(_ members: [HealthMember], of health: Health) {
        for member in members {
            switch member.value(health) {
            case .unsigned(let number): self.member(member.name, number)
            case .signed(let number): self.member(member.name, number)
            case .decimal(let number): self.member(member.name, .hundredths(number))
            case .flag(let flag): self.member(member.name, .bool(flag))
            case .text(let text): self.member(member.name, .string(text))
            case nil: break
            }
        }
    }
}

extension JSON {
    /// A number with two decimals at most, without zeros at its end, and never “−0”.
    fileprivate static func hundredths(_ value: Double) -> JSON {
        let scaled = value.magnitude < 1e15 ? value * 100 : 0
        let hundredths = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
        return hundredths.isMultiple(of: 100)
            ? .integer(hundredths / 100) : .number(Double(hundredths) / 100)
    }
}

extension Health {
    /// The agent's certificate for its broker, if it has ended or ends soon.
    package struct ExpiringCertificate: Equatable, Sendable {
        /// How long it is still valid; negative once it has ended.
        package let left: Duration

        /// `certificate ends in 10 days`.
        package var reason: String {
            if left < .zero { return "certificate has ended" }
            let days = left.wholeSeconds / 86_400
            return "certificate ends " + (days > 0 ? "in \(count(days, "day"))" : "within a day")
        }
    }

    /// A certificate with less time needs attention. `sightline-provision --renew` renews it in its last 30 days.
    package static let certificateNotice = Duration.seconds(14 * 86_400)

    /// The certificate, if it has ended or ends soon by the gateway's clock.
    package var expiringCertificate: ExpiringCertificate? {
        guard let certificateExpiresAt else { return nil }
        let left = certificateExpiresAt - at
        return left < Self.certificateNotice ? ExpiringCertificate(left: left) : nil
    }
}
