// Package catalog remembers what a list of sessions shows, so that listing
// 100,000 of them does not read 100,000 logs. It is one SQLite database beside
// the logs, shared by all processes that work there.
//
// # Derived
//
// The logs are the truth; a row repeats what the head of a log says, and may be
// thrown away at any time. A database that is damaged or of another version is
// moved aside (catalog.db.damaged-<ms>, the last one is kept) and built anew;
// one that was deleted is built anew; and while it cannot be used at all,
// because the disk is full or read-only or somebody keeps it locked, every
// method that answers says so with [fault.Unavailable] and the caller reads the
// logs instead. Nothing here ever stops a session.
//
// # Writing
//
// [Catalog.Put] and [Catalog.Forget] wait for nobody: they leave a row in a
// bounded map, the last one for each session, and a goroutine that exists only
// while something is in it writes all of them in one transaction, 100 ms later
// at the latest. [Catalog.List] writes them first, so a program sees what it did.
//
// # Looking
//
// What no row was written for, because another runtime wrote the log or a
// process was killed, is found by a look: the folders with their sizes and times
// are compared with the rows, and only the logs that differ are read. A look at
// 100,000 folders takes most of a second, so it is rationed: one is due as soon
// as somebody may have been killed, that is after each start of a process that
// writes, and otherwise after 100 times as long as the last one took; only those
// that take less than 10 ms are made with each list. A home with some hundred
// sessions is thus always exact, and a very large one at most a minute behind
// what others did to it. Nobody spends more than a hundredth of the time on it.
//
// A list waits for a look that is due, but no longer than [Options.Patience];
// then it shows the rows that there are and the next list is exact. Only where
// no look was ever finished, because the file is new, does it wait to the end.
//
// # Files
//
//	catalog.db       0600; table session, a row each, and table look, one row:
//	                 how often there was a doubt, up to which of them the rows
//	                 are settled, when the last look ended and what it took
//	catalog.db-wal   SQLite's own, gone once the last process has closed it
//	catalog.db-shm
//
// user_version says which tables these are. Times are Unix microseconds.
package catalog
