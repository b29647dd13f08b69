import Testing

@Suite("The background in a process made by fork", .timeLimit(Rounds.timeLimit))
struct ForkTests {
    @Test("A child made by fork has threads of its own for the stores that it opens, and its parent keeps its own")
    func fork() async throws {
        try await withTemporaryDirectory { directory in
            try await Worker.run("fork-and-open", directory)
        }
    }
}
