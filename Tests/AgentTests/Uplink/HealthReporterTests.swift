import Contract
import Posix
import Primitives
import Sightings
import Testing

@testable import Agent

@Suite("HealthReporter")
struct HealthReporterTests {
    private let begin = Instant(microseconds: 0)

    private func reporter() -> HealthReporter {
        HealthReporter(HealthReporter.Settings(), at: begin)
    }

    @Test("a message is due after each interval")
    func interval() {
        var reporter = reporter()
        #expect(reporter.deadline(isConnected: true) == begin + .seconds(30))
        #expect(reporter.isMessageDue(at: begin + .seconds(29), canPublish: true) == false)
        #expect(reporter.isMessageDue(at: begin + .seconds(30), canPublish: true) == true)
        #expect(reporter.isMessageDue(at: begin + .seconds(30), canPublish: true) == false)
        #expect(reporter.deadline(isConnected: true) == begin + .seconds(60))
    }

    @Test("a message that falls due without a broker is published after the next connection")
    func overdue() {
        var reporter = reporter()
        #expect(reporter.isMessageDue(at: begin + .seconds(30), canPublish: false) == true)
        #expect(reporter.isMessageDue(at: begin + .seconds(31), canPublish: false) == false)
        #expect(reporter.isMessageDue(at: begin + .seconds(32), canPublish: true) == true)
        #expect(reporter.isMessageDue(at: begin + .seconds(33), canPublish: true) == false)
        #expect(reporter.deadline(isConnected: true) == begin + .seconds(60))
    }

    @Test("the last loss has the time at which the count rose; none if the clock was not set")
    func latestLoss() {
        var loss = LatestLoss(after: 2)
        for (count, clock, expected) in [
            (2, 10, nil), (3, 20, 20), (3, 30, 20), (7, 40, 40), (8, nil, nil), (8, 50, nil),
        ] as [(UInt64, UnixTime?, UnixTime?)] {
            loss.on(count, wall: clock)
            #expect(loss.at == expected)
        }
    }

    @Test("a change of the radio's state makes a message due once, beside the interval")
    func radioState() {
        var reporter = reporter()
        var radio = RadioHealth()
        let second = { Instant(microseconds: $0 * 1_000_000) }
        for (change, isDue) in [(\RadioHealth.isHearing, true), (\.isDegraded, true)] {
            radio[keyPath: change] = true
            reporter.on(radio)
            #expect(reporter.isMessageDue(at: second(1), canPublish: true) == isDue)
            reporter.on(radio)
            #expect(reporter.isMessageDue(at: second(2), canPublish: true) == false)
        }
        radio.counts.reports = 7
        reporter.on(radio)
        #expect(reporter.isMessageDue(at: second(3), canPublish: true) == false)
        #expect(reporter.isMessageDue(at: second(30), canPublish: true) == true)
    }

    @Test("reports a second count from the health message before")
    func rate() {
        var reporter = reporter()
        var radio = RadioHealth()
        let second = { Instant(microseconds: $0 * 1_000_000) }
        #expect(reporter.reportsPerSecond(at: second(30)) == nil)
        for (time, reports, rate) in [(30, 900, 30), (60, 900, 0), (70, 4905, 401)] {
            if time == 30 { reporter.beginInterval(at: second(0)) }
            radio.counts.reports = reports
            reporter.on(radio)
            #expect(reporter.reportsPerSecond(at: second(Int64(time))) == rate)
            reporter.beginInterval(at: second(Int64(time)))
            #expect(reporter.reportsPerSecond(at: second(Int64(time))) == nil)
        }
    }

    @Test("a sender with many identities is in the health of its interval; the log has it once")
    func manyIdentities() {
        var alarm = SenderAlarm()
        var warnings: [Int?] = []
        var peaks: [Int?] = []
        for interval in [[0, 20, 300], [25], [], [18]] {
            for identities in interval {
                var counts = RadioCounts()
                counts.identitiesPerSender = identities
                warnings.append(alarm.on(counts))
                #expect(alarm.on(nil) == nil)
            }
            peaks.append(alarm.peak)
            alarm.beginInterval()
        }
        #expect(warnings == [nil, 20, nil, nil, 18])
        #expect(peaks == [300, 25, nil, 18])
    }

    @Test("a certificate that ends within 14 days is a reminder once a day, until it is renewed")
    func certificate() {
        var reminder = CertificateReminder()
        let day: Int64 = 86_400
        var reminders: [String] = []
        for hour in 0..<100 as Range<Int64> {
            var health = Health(
                session: "a", at: UnixTime(second: hour * 3600), uptime: .seconds(hour * 3600))
            health.certificateExpiresAt = UnixTime(second: hour < 90 ? 16 * day : 90 * day)
            guard
                reminder.isDue(
                    health.expiringCertificate, at: begin + .seconds(hour * 3600))
            else { continue }
            reminders.append("\(hour) \(health.expiringCertificate?.reason ?? "")")
        }
        #expect(
            reminders == [
                "49 certificate ends in 13 days", "73 certificate ends in 12 days",
            ])
    }

    @Test("the last day of a certificate and its end have words of their own")
    func certificateEnd() {
        var health = Health(session: "a", at: 0, uptime: .zero)
        #expect(health.expiringCertificate == nil)
        health.certificateExpiresAt = 3_600_000
        #expect(health.expiringCertificate?.reason == "certificate ends within a day")
        health.at = 3_600_001
        #expect(health.expiringCertificate?.reason == "certificate has ended")
    }

    @Test("without a metrics file no metrics are due")
    func noMetrics() {
        #expect(reporter().areMetricsDue(at: begin + .seconds(99), isConnected: true) == false)
    }
}
