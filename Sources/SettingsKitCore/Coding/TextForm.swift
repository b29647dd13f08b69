/// Reads and writes the values of a type as text: in arguments, environment variables, commands and tables.
struct TextForm<Value: Sendable>: Sendable {
    /// What the text must be, for messages: "true or false", "an integer".
    let expected: String
    /// Whether an argument without a value, such as `--muted`, sets it: true for a Boolean.
    let isFlag: Bool
    /// The value that a text stands for; nil if it stands for none.
    let read: @Sendable (String) -> Value?
    /// The text of a value; nil if it has none.
    let write: @Sendable (Value) -> String?
}
