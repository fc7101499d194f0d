// Package sessiondb is the SQLite database of one session. The model keeps notes in it,
// above all its to-do list. The database is a file in the session's folder and is made by
// the first statement; a session that never uses it costs nothing.
//
// [DB.Exec] runs SQL that a model wrote, so the SQL is not trusted:
//
//   - It can reach only this one file. ATTACH and VACUUM INTO fail because the connection
//     allows no second database, extensions cannot be loaded, and of the PRAGMAs only
//     those that describe a table are allowed. SQLite may sort large results in temporary
//     files that have no name.
//   - It ends. A statement may run for 10 seconds; then SQLite is interrupted. SQLite
//     cannot be interrupted while it plans a statement, so everything that makes planning
//     exponential is refused: views, triggers, and common table expressions that multiply
//     each other. It cannot be interrupted within an expression either, so values are short.
//   - It stays small: a result has at most 1,000 rows and 64 KiB, a value 64 KiB, and the
//     database 64 MiB.
//
// [Remote] is a database that a client of this program keeps. It runs the same statements; how
// long they take, and how large the database gets, the client decides.
//
// This package does not know what to-dos are for. It makes the two tables, reads them,
// and reports when they have changed.
package sessiondb
