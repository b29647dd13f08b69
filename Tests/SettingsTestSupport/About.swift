// What the tests of several targets share. A file `TestSupport.swift` in each of these exports it to the whole target.
//
// How tests are written:
//
// - Stores. What holds for every store is a suite of `SettingsTestKitTests`, in the folder Stores, which runs over each `StoreMedium`.
//   The tests of one store have what is particular to its files.
// - Names. A test has a display string: a statement that can be read alone in a log, without its suite. It begins with a
//   capital letter, unless with a name such as `plutil`, and has no period at its end. A suite's string is its subject.
// - Rounds. Tests whose rounds differ in a seed, a moment or a depth ask `Rounds` how many to take.
// - Time. Nothing sleeps to let something happen: `eventually` polls. What may hang has a time limit of two minutes. Four
//   tests run at a time: see `TestWidth.c`. Tests that compute for a second, or block, have the trait `ownThreads`, or every
//   `await` of the other tests would wait for them.
// - Mutexes. `Mutex` and `Atomic` come from here; `import Synchronization` would hide the thread sanitizer's mutex.
