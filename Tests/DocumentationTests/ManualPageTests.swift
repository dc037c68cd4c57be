import CommandLine
import Documentation
import Testing

@Suite struct ManualPageTests {
    private static let command = Command(
        name: "tool do", summary: "does it",
        options: [Option("file", short: "f", value: "FILE", help: "the file", isRequired: true)],
        operands: [Operand("KEY=VALUE", help: "what", isRequired: false, isRepeatable: true)],
        manual: Manual(
            ["One paragraph.", ".another, with a \\ and “words”"],
            exitCodes: [.init("0", "done")], examples: [.init("tool do -f x", "Do it:")],
            seeAlso: ["tool(1)"]))

    @Test("The page is the table and what the manual adds")
    func page() {
        #expect(
            Self.command.manualPage(section: 1, version: "1.2.3") == #"""
                .TH "TOOL\-DO" "1" "" "Sightline 1.2.3" "Sightline"
                .nh
                .SH "NAME"
                tool\-do \- does it
                .SH "SYNOPSIS"
                \fBtool do\fR \-\-file\ FILE [KEY=VALUE]\&...
                .SH "DESCRIPTION"
                .PP
                One paragraph.
                .PP
                \&.another, with a \e and \(lqwords\(rq
                .SH "ARGUMENTS"
                .TP
                \fBKEY=VALUE\fR
                what.
                .SH "OPTIONS"
                .TP
                \fB\-f, \-\-file FILE\fR
                the file.
                .TP
                \fB\-h, \-\-help\fR
                show this text.
                .TP
                \fB\-\-version\fR
                show the version.
                .SH "EXIT STATUS"
                .TP
                \fB0\fR
                done.
                .SH "EXAMPLES"
                .PP
                Do it:
                .PP
                .EX
                  tool do \-f x
                .EE
                .SH "SEE ALSO"
                tool(1)

                """#)
    }

    @Test("A program with commands names their pages")
    func commands() {
        let page = Command(name: "tool", summary: "x", subcommands: [Self.command])
            .manualPage(section: 1, version: "1")
        #expect(page.contains("\\fBdo\\fR\ndoes it; see tool\\-do(1).\n"))
    }
}
