/// A type whose extensions in a program are not isolated to the main actor, also if that is the program's default isolation.
///
/// Such a program, as new projects of Xcode are, could not name a setting in a closure that runs on any thread: `static let
/// volume` in an extension of the settings would belong to the main actor. The default isolation does not apply to the members
/// of a type that conforms to a protocol with `SendableMetatype`, nor to its extensions.
protocol NonisolatedExtensions: SendableMetatype {}
