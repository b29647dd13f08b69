/// The name of a table, a column or an index, as it stands in SQL.
enum Identifier {
    /// The name between backquotes. (Between double quotes, SQLite would take a name that it does not know for a string.)
    static func quoted(_ name: String) -> String {
        "`" + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``") + "`"
    }
}
