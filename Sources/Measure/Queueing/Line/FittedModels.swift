// All fitted numbers of the estimator. `Tests/QueueBench/fit` writes this file: a part for each shopping mode, and one
// for people who give up. Chosen numbers stand beside the code that uses them.

// MARK: fit, direct
// Fitted on 2026-11-26: maximum likelihood of the sequences of visits and other presences in 164 hours of the
// worlds 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30 and 5/4/10/0 (metres / σ in dB / reports a second / loss in
// %). 20 hours are of Tests/QueueBench/simulate (seed 301), and 25 of the virtual radio (402). 64 of
// Tests/QueueBench/stores count 0.6 each, 15 with two queues and one entry (402) 0.5, and 40 with rushes
// 0.15.

extension LineModel {
    package static let direct = LineModel(
        join: Edge(
            constant: -6.941 + proposal,
            entry: [-0.0987, -0.0167, -0.0280, -0.0901, 0.5865, -0.0781, -0.0680, -0.0159, 0.0096],
            till: [0.0156, -0.0032, -0.0228, -0.0192, -0.0024, 0.0298, 0.0647, 0.0256, 0.0946],
            ownEntry: 0.0128, ownTill: 0.0094),
        leave: Edge(
            constant: -6.541,
            entry: [-0.0179, -0.0319, -0.0194, -0.0333, 0.1756, -0.0361, -0.0257, 0.0069, -0.0545],
            till: [0.0781, 0.0619, 0.0279, -0.0331, 0.5637, -0.1529, -0.0927, -0.0343, -0.0873],
            ownEntry: -0.0366, ownTill: -0.0824),
        stay: Stay(
            bound: 0.2558, offset: 0.0986, constant: -0.4250,
            near: Weights(entry: -0.0006, till: -0.0185, loudest: -0.0092),
            wide: Weights(entry: 0.0037, till: 0.0553, loudest: 0.0234),
            own: Weights(entry: 0.0015, till: -0.0440, loudest: -0.0196)))
}

extension VisitModel {
    static let direct = VisitModel(
        joining: LineModel.Edge(
            constant: -5.470,
            entry: [0.0387, 0.0205, 0.0023, 0.0278, 0.0906, -0.0103, -0.0198, -0.0110, 0.0123],
            till: [0.0228, -0.0169, -0.0233, -0.0284, -0.0185, -0.0103, 0.0082, 0.0079, -0.0046],
            ownEntry: -0.0396, ownTill: -0.0225),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [-0.0170, -0.0025, 0.0019, 0.0040, -0.0172, -0.0169, -0.0441, -0.0378, -0.0263],
            till: [0.0402, 0.0388, 0.0216, 0.0234, 0.0724, 0.0339, -0.0005, -0.0185, -0.0228],
            ownEntry: 0.0568, ownTill: -0.0217),
        staying: Weights(entry: 0.0098, till: 0.0409, loudest: -0.0133),
        stay: 9.0544, length: 0.7265, lengthSquare: 0.0759, gain: 0.0661)
}

extension PresenceModel {
    static let direct = PresenceModel(
        levels: Levels(
            own: LineEnds(entry: -0.0862, till: -0.1267),
            short: Weights(entry: 0.0668, till: 0.2964, loudest: 0.1248),
            medium: Weights(entry: 0.0256, till: -0.0617, loudest: 0.0076),
            long: Weights(entry: 0.0714, till: 0.1249, loudest: -0.1330),
            slowPeaks: LineEnds(entry: 0.0549, till: 0.0249),
            fastPeaks: LineEnds(entry: -0.1027, till: -0.2284)),
        margin: 0.5340, laggedMargin: 0.0206, age: 0.2210, seen: -0.3940,
        joining: 0.7519, staying: -0.9870, constant: 4.5720)
}

// MARK: fit, browsing
// Fitted on 2026-11-28: 1995 visits in 42 hours of the worlds 5/6/5/10, 3/6/5/10, 10/6/5/10, 5/8/1/30 and
// 5/4/10/0. 8 hours are of Tests/QueueBench/simulate with --own-passes 10 (seeds 311 to 314), 11 of
// simulate-store with --own-passes 8 or 10 (331 to 333, 411 to 413, 415), and 4 of the virtual radio with
// --shop (405 to 407). Without lingering, 6 hours of simulate (321 to 323) and 6 of simulate-store (341 to
// 343, 414) count 0.5, and 6 of the virtual radio (402 to 404) 0.3.

extension LineModel {
    package static let browsing = LineModel(
        join: Edge(
            constant: -8.954 + proposal,
            entry: [-0.0316, -0.1190, 0.0398, -0.0501, 0.5430, -0.0885, -0.0957, 0.0267, 0.0503],
            till: [-0.0290, -0.0389, -0.0207, -0.0927, -0.0766, 0.0452, 0.0733, 0.0418, 0.0609],
            ownEntry: -0.1509, ownTill: 0.0577),
        leave: Edge(
            constant: -7.473,
            entry: [
                -0.0322, -0.0323, -0.0157, -0.0616, 0.1840, -0.0025, -0.0418, -0.0520, -0.0812,
            ], till: [0.1107, 0.0433, 0.0430, -0.0500, 0.5007, -0.1318, -0.0775, -0.0591, -0.1205],
            ownEntry: 0.0720, ownTill: -0.0283),
        stay: Stay(
            bound: 0.3177, offset: 0.0507, constant: -0.5207,
            near: Weights(entry: 0.0264, till: -0.2901, loudest: 0.3702),
            wide: Weights(entry: -0.0374, till: 0.3045, loudest: -0.3438),
            own: Weights(entry: -0.0020, till: -0.0190, loudest: -0.0151)))
}

extension VisitModel {
    static let browsing = VisitModel(
        joining: LineModel.Edge(
            constant: -4.819,
            entry: [0.0053, 0.0090, 0.0131, 0.0190, 0.0036, -0.0101, -0.0025, 0.0059, 0.0094],
            till: [-0.0185, -0.0094, -0.0093, -0.0057, -0.0081, -0.0070, 0.0056, 0.0057, 0.0084],
            ownEntry: -0.0059, ownTill: -0.0320),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [
                -0.0152, -0.0123, -0.0082, 0.0049, -0.0193, -0.0150, -0.0271, -0.0162, -0.0356,
            ], till: [0.0332, 0.0370, 0.0439, 0.0300, -0.0016, 0.0014, 0.0149, 0.0071, 0.0032],
            ownEntry: -0.0153, ownTill: -0.0436),
        staying: Weights(entry: 0.0071, till: 0.0841, loudest: 0.0402),
        stay: 8.8751, length: 0.6880, lengthSquare: 0.0693, gain: 0.0688)
}

extension PresenceModel {
    static let browsing = PresenceModel(
        levels: Levels(
            own: LineEnds(entry: 0.0503, till: -0.0630),
            short: Weights(entry: -0.0169, till: 0.0896, loudest: 0.1262),
            medium: Weights(entry: 0.1001, till: 0.2197, loudest: 0.0806),
            long: Weights(entry: -0.0339, till: -0.1239, loudest: -0.1068),
            slowPeaks: LineEnds(entry: -0.0167, till: -0.0643),
            fastPeaks: LineEnds(entry: -0.0899, till: -0.1278)),
        margin: 0.5160, laggedMargin: 0.0105, age: 0.1043, seen: 0.9946,
        joining: 0.9047, staying: 0.0598, constant: -4.5124)
}

// MARK: fit, giving up
// Fitted on 2026-11-22: logistic regression on the stays that overtake another one and are no visits, in the
// worlds of the direct models of that day and of Tests/QueueBench/simulate (seeds 201 to 205).

extension GivingUpModel {
    static let fitted = GivingUpModel(
        constant: -0.776,
        joining: Edge(
            before: LineEnds(entry: 0.0022, till: -0.0191),
            at: LineEnds(entry: 0.1260, till: 0.0172),
            after: LineEnds(entry: -0.0075, till: -0.0884)),
        leaving: Edge(
            before: LineEnds(entry: 0.0030, till: 0.0050),
            at: LineEnds(entry: 0.0187, till: -0.1046),
            after: LineEnds(entry: 0.1441, till: -0.0196)))
}
