/// A type whose extensions in a program are not isolated to the main actor, even if that is the program's default isolation.
///
/// New projects of Xcode have that default. A `static let volume` in an extension of the settings would belong to the main actor,
/// and a closure that runs on any thread could not name it. The default isolation applies neither to the members of a type that
/// conforms to a protocol with `SendableMetatype`, nor to its extensions.
protocol NonisolatedExtensions: SendableMetatype {}
