/// The words for a program in the sentences of checks.
package struct ExaminedProgram: Equatable, Sendable {
    /// `agent`.
    package let name: String
    /// The group that may read its files.
    package let group: String
    /// The data that is lost without a state directory.
    package let loss: String
    /// What grows on the disk.
    package let growth: String
    /// What helps if the disk is too small.
    package let remedy: String

    package init(name: String, group: String, loss: String, growth: String, remedy: String) {
        self.name = name
        self.group = group
        self.loss = loss
        self.growth = growth
        self.remedy = remedy
    }
}
