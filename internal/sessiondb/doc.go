// Package sessiondb is a session's own SQLite database: what the model notes down
// for itself, its list of things to do above all. It is a file in the session's
// folder, made by the first statement that is run; a session that runs none costs
// nothing.
//
// [DB.Exec] runs SQL that a model wrote, and nobody trusts:
//
//   - It reaches this one file. ATTACH and VACUUM INTO cannot open another, because
//     the connection may have no database beside its own; extensions cannot be
//     loaded; of the PRAGMAs only those are run that describe a table. What SQLite
//     sorts may pass through temporary files without a name.
//   - It ends. All the work of a statement is done under a limit of 10 seconds,
//     after which SQLite is interrupted. Its planner cannot be interrupted, so
//     what makes it do exponential work is refused: views, triggers, and common
//     table expressions that multiply each other. Nor is it within an expression,
//     whose values are short for that reason.
//   - It stays small: 1,000 rows and 64 KiB of them, 64 KiB of one value, 64 MiB of
//     database.
//
// The package is not told what to-dos are for: it makes the two tables, reads them
// for those who show them, and says when they have changed.
package sessiondb
