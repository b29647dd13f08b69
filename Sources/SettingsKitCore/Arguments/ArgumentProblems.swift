/// The problems of a program's arguments, for the person who has typed them. Values never appear.
struct ArgumentProblems: ValueFreeError {
    /// A sentence for each problem.
    let problems: [String]
    let usage: String

    /// The problems, each in a line, and the usage.
    var description: String { (problems + [usage]).joined(separator: "\n") }
}
