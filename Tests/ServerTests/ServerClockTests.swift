import Primitives
import Testing

@testable import Server

/// A machine whose boot clock and wall clock are the test's, and gateways whose clocks are right.
struct Machine {
    /// 2026-11-22 12:00 UTC at the start of the boot clock, in milliseconds since the epoch.
    static let noon: Int64 = 1_795_348_800_000
    static let hour: Int64 = 3_600_000

    var clock: ServerClock
    /// Milliseconds since the start.
    var age: Int64 = 0
    /// The wall clock's error.
    var error: Int64
    var isDisciplined: Bool
    let gateways: [String]

    init(error: Int64 = 0, isDisciplined: Bool = true, gateways: [String] = ["e", "t"]) {
        self.error = error
        self.isDisciplined = isDisciplined
        self.gateways = gateways
        clock = ServerClock(
            wall: Instant(microseconds: (Self.noon + error) * 1000), isDisciplined: isDisciplined,
            at: Instant(microseconds: 0))
    }

    var now: Instant { Instant(microseconds: age * 1000) }
    var truth: Int64 { Self.noon + age }

    /// Lets seconds pass, of each of which these gateways send a window a moment after its end.
    mutating func pass(_ seconds: Int, hearing heard: [String]? = nil, late: Int64 = 0) {
        for _ in 0..<seconds {
            age += 1000
            clock.follow(
                wall: Instant(microseconds: (truth + error) * 1000), isDisciplined: isDisciplined,
                at: now)
            for gateway in heard ?? gateways { hear(truth - 200 - late, gateway) }
        }
    }

    mutating func hear(_ end: Int64, _ gateway: String) {
        clock.on(end: UnixTime(milliseconds: end), from: gateway, of: gateways.count, at: now)
    }

    mutating func judge(_ end: Int64) -> ServerClock.Judgement {
        clock.judge(end: UnixTime(milliseconds: end), at: now)
    }

    /// The difference of the server's time to the true one.
    var certainty: TimeCertainty { clock.certainty(at: now) }

    var difference: Int64 { clock.time(at: now).milliseconds - truth }
}

@Suite("the server's time")
struct ServerClockTests {
    static let hour = Machine.hour

    @Test(
        "a step of the wall clock that gateways contradict changes nothing",
        arguments: [6 * hour, -3 * hour, 400 * 24 * hour], [true, false])
    func wrongStep(step: Int64, isDisciplined: Bool) {
        var machine = Machine(isDisciplined: isDisciplined)
        machine.pass(10)
        #expect(machine.certainty == .certain)
        machine.error = step
        machine.pass(10)
        #expect(machine.clock.takeChange() == .doubted(.milliseconds(step)))
        machine.pass(1200)
        #expect(machine.difference == 0)
        #expect(machine.clock.takeChange() == nil)
        #expect(machine.judge(machine.truth) == .plausible)
        #expect(machine.judge(machine.truth + step) != .undecided)
    }

    @Test(
        "a step without any gateway waits until one confirms it", arguments: [6 * hour, -3 * hour])
    func silentStep(step: Int64) {
        var machine = Machine()
        machine.pass(10, hearing: [])
        machine.error = step
        machine.pass(2 * 3600, hearing: [])
        #expect(machine.difference == 0)
        // The machine was wrong before: the gateways have the time of its wall clock.
        machine.pass(10, hearing: ["e"], late: -step)
        #expect(abs(machine.difference - step) < 1000)
        #expect(machine.clock.takeChange() == .stepped(.milliseconds(step)))
    }

    @Test(
        "small differences of the wall clock are followed",
        arguments: [900, -2000, 4000] as [Int64])
    func slew(step: Int64) {
        var machine = Machine()
        machine.pass(10)
        machine.error = step
        machine.pass(1, hearing: [])
        #expect(machine.difference == step)
        #expect(machine.clock.takeChange() == nil)
    }

    @Test("a step of server and gateways together is taken")
    func together() {
        for step in [6 * Self.hour, -3 * Self.hour] {
            var machine = Machine()
            machine.pass(10)
            machine.error = step
            machine.pass(700, late: -step)
            #expect(abs(machine.difference - step) < 1000)
        }
    }

    @Test("an unset clock closes nothing, and takes the time of most gateways")
    func unset() {
        var machine = Machine(
            error: -Machine.noon, isDisciplined: false, gateways: ["a", "b", "c"])
        machine.pass(60, hearing: [])
        #expect(machine.certainty == .unconfirmed)
        machine.hear(machine.truth - 100, "a")
        #expect(machine.judge(machine.truth - 100) == .undecided)
        #expect(machine.certainty == .unconfirmed)
        machine.hear(machine.truth - 100, "b")
        #expect(machine.judge(machine.truth - 100) == .plausible)
        #expect(machine.certainty == .probable)
        #expect(abs(machine.difference) < 1000)
        // A time service sets the clock.
        machine.error = 0
        machine.isDisciplined = true
        machine.pass(1, hearing: [])
        #expect(machine.difference == 0)
        #expect(machine.certainty == .certain)
    }

    @Test("a clock of the future that is set later goes back with the gateways")
    func backwards() {
        var machine = Machine(error: 9000 * Self.hour, isDisciplined: false)
        machine.pass(20)
        #expect(machine.certainty == .unconfirmed)
        machine.error = 0
        machine.pass(1)
        #expect(machine.difference == 0)
        #expect(machine.certainty == .certain)
    }

    @Test("a backlog is no evidence against the time")
    func backlog() {
        var machine = Machine()
        machine.pass(10)
        for second in 0..<3600 {
            machine.pass(1, hearing: [])
            // An hour's backlog comes at ten times the speed.
            for gateway in ["e", "t"] {
                machine.hear(machine.truth - 3_600_000 + Int64(second) * 9000 % 3_600_000, gateway)
            }
        }
        #expect(machine.difference == 0)
        #expect(machine.clock.takeChange() == nil)
    }

    @Test("a step of a confirmed wall clock makes the time uncertain for two days")
    func steppedWall() {
        var machine = Machine()
        machine.pass(700, hearing: [])
        machine.error = Self.days29
        machine.pass(5, late: -Self.days29)
        #expect(abs(machine.difference - Self.days29) < 1000)
        #expect(machine.certainty == .probable)
        machine.age += 49 * Self.hour
        #expect(machine.certainty == .certain)
    }

    @Test(
        "both a step by gateways and its contradiction by the wall clock are reported, one after the other"
    )
    func reports() {
        var machine = Machine(error: -Self.hour, isDisciplined: false)
        machine.hear(machine.truth, "e")
        machine.hear(machine.truth, "t")
        machine.clock.follow(
            wall: Instant(microseconds: (machine.truth - Self.hour) * 1000), isDisciplined: false,
            at: machine.now)
        #expect(machine.clock.takeChange() == .stepped(.milliseconds(Self.hour)))
        machine.pass(1, hearing: [])
        #expect(machine.clock.takeChange() == .doubted(.milliseconds(-Self.hour)))
    }

    @Test(
        "a backlog does not move the time of an unconfirmed wall clock, however fast it comes",
        arguments: [0, 500, 900, 2000, 10_000] as [Int64])
    func unconfirmedBacklog(speed: Int64) {
        var machine = Machine(isDisciplined: false)
        for second in 0..<300 as Range<Int64> {
            machine.pass(1, hearing: [])
            for gateway in ["e", "t"] {
                machine.hear(Machine.noon - Self.hour + second * speed, gateway)
            }
        }
        #expect(machine.difference == 0)
    }

    @Test("most gateways set back a wall clock of the future after two minutes")
    func futureWall() {
        var machine = Machine(error: 9000 * Self.hour, isDisciplined: false)
        machine.pass(119)
        #expect(machine.difference == 9000 * Self.hour)
        machine.pass(5)
        #expect(abs(machine.difference) < 1000)
        #expect(machine.certainty == .probable)
    }
}
