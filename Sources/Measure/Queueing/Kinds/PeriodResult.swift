import JSON
import Primitives
import Results

/// An hour or a day of a queue in the API.
package struct PeriodResult: ResultDocument {
    package let summary: PeriodSummary
    package let span: Range<UnixTime>

    package init(_ summary: PeriodSummary, _ span: Range<UnixTime>) {
        self.summary = summary
        self.span = span
    }

    package static let kind = ResultKind(
        "period", file: "period", topic: nil, title: "Period", help: "An hour or a day.", members)

    package static let members = times + numbers

    /// `nil` in an unknown period.
    private var known: PeriodSummary? { summary.state == .unknown ? nil : summary }

    private static let times: [ResultMember<PeriodResult>] = [
        .time("start") { $0.span.lowerBound }.published(as: .time).history(),
        .time("end") { $0.span.upperBound }.published(as: .time).history(),
        .milliseconds(
            "knownMs",
            "Of the minutes that have numbers: milliseconds in which entry and till were certainly both heard."
        ) { $0.summary.time.known }.history(1),
        .milliseconds("lengthMs") { $0.summary.time.whole }.history(1),
        .word("state") { $0.summary.state }.history(),
    ]

    private static let numbers: [ResultMember<PeriodResult>] = [
        .object("length", "Tags in line, over the known time.", of: length) { $0.known }.nullable,
        .integer("joined", "Tags; people without a beacon are not counted.", atLeast: nil) {
            $0.known?.joined
        }.nullable.history(1),
        .integer("served", "Tags, like joined.", atLeast: nil) { $0.known?.served }.nullable
            .history(1),
        .integer(
            "abandoned",
            "Tags, like joined. Those who gave up, as far as they are recognised: few are.",
            atLeast: nil
        ) { $0.known?.abandoned }.nullable.history(1),
        .object("waits", of: WaitHistogram.members) { $0.known?.waits }
            .published(
                as: .schema([
                    .init(
                        "allOf",
                        [
                            ["$ref": "#/components/schemas/Waits"],
                            .object(
                                ResultType.object(WaitHistogram.intervals).schema(isNullable: true)),
                        ])
                ])
            ).nullable,
        .object("scores", of: ForecastScores.members.history(2)) { $0.known?.scores }.nullable
            .published(as: .reference("#/components/schemas/Scores")),
        .milliseconds(
            "overTargetMs",
            "Milliseconds in which the forecast was above the target of the queue; null without a forecast or a target.",
            atLeast: nil
        ) { $0.known?.time.overTarget }.nullable.history(1),
    ]

    private static let length: [ResultMember<PeriodSummary>] = [
        .number("mean", places: 3) { $0.meanLength }.nullable,
        .integer("max") { $0.maxLength },
    ].history(1)
}

extension WaitHistogram {
    fileprivate static let members: [ResultMember<WaitHistogram>] =
        [
            .integer("count") { $0.count }.history(1),
            .milliseconds("meanMs") { $0.mean }.nullable.history(1),
        ] + quantiles + [.milliseconds("maxMs") { $0.maximum }.nullable.history(1)]

    private static let quantiles: [ResultMember<WaitHistogram>] = [
        .milliseconds("medianMs") { $0.quantile(0.5) }.nullable.history(1),
        .milliseconds(
            "medianLowMs",
            "The 90 % interval of the median of all who were served, whatever their number; null where too few waits are known."
        ) { QuantileInterval(0.5, of: $0).low }.nullable.history(3),
        .milliseconds("medianHighMs") { QuantileInterval(0.5, of: $0).high }.nullable.history(3),
        .milliseconds("p90Ms") { $0.quantile(0.9) }.nullable.history(1),
        .milliseconds("p90LowMs", "The same of p90Ms.") { QuantileInterval(0.9, of: $0).low }
            .nullable.history(3),
        .milliseconds("p90HighMs") { QuantileInterval(0.9, of: $0).high }.nullable.history(3),
    ]

    /// The members that a minute's waits lack.
    fileprivate static var intervals: [ResultPart] {
        members.map(\.part).filter { $0.history == 3 }
    }
}

extension PeriodSummary {
    /// The published form of an hour or a day.
    package func json(_ span: Range<UnixTime>) -> JSON { PeriodResult(self, span).json }
}

extension ForecastScores {
    static let members: [ResultMember<ForecastScores>] = [
        .integer("scored") { $0.count },
        .integer("forecastMs", "The mean forecast.") { $0.meanForecast }.nullable,
        .integer("waitMs", "The mean wait that came.") { $0.meanWait }.nullable,
        .integer("meanErrorMs") { $0.meanError }.nullable,
        .number(
            "inInterval", "The share whose wait was in the interval.", places: 3, atLeast: nil
        ) { $0.insideShare }.nullable,
    ]
}
