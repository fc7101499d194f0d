// Package catalog stores what a list of sessions shows, so that listing 100,000 sessions
// does not read 100,000 logs. It is one SQLite database beside the logs, shared by all
// processes that work there.
//
// # Derived data
//
// The logs are the truth. A row repeats what the beginning of a log says, and may be
// deleted at any time. A database that is damaged or of another version is moved aside
// (catalog.db.damaged-<ms>; the last one is kept) and built again; so is one that was
// deleted. While the database cannot be used at all, because the disk is full or
// read-only or another program keeps it locked, every method that returns an error
// returns [fault.Unavailable], and the caller reads the logs instead. No failure here
// ever stops a session.
//
// # Writing
//
// [Catalog.Put] and [Catalog.Forget] do not wait. They store the row in a bounded map,
// which holds the last row of each session. A goroutine that exists only while the map
// holds rows writes all of them in one transaction, at most 100 ms later. [Catalog.List]
// writes them first, so a program sees its own changes.
//
// # Comparing
//
// Rows can be missing or old, because another runtime wrote a log or a process was
// killed. A comparison finds those: it compares the sizes and times of all logs with the
// rows, and reads only the logs that differ. Comparing 100,000 folders takes most of a
// second, so comparisons are rationed. One is due after each start of a process that
// writes, because an earlier process may have been killed. Otherwise one is due after 100
// times as long as the last one took; only comparisons of less than 10 ms are made for
// every list. So a home with a few hundred sessions is always exact, and a very large one
// is at most about a minute behind the changes of other processes, while comparing takes
// at most a hundredth of the time.
//
// A list waits for a comparison that is due, but no longer than [Options.Patience]. Then
// it shows the rows that there are, and the next list is exact. Only if no comparison has
// ever finished, because the database is new, does it wait to the end.
//
// # Files of the database
//
//	catalog.db       0600; table session, with a row per session, and table look, with
//	                 one row about comparisons: doubts counts how often one was
//	                 requested, settled is that count when the last one began, ended is
//	                 when it ended and took how long it took
//	catalog.db-wal   SQLite's own; removed when the last process closes the database
//	catalog.db-shm
//
// user_version identifies these tables. Times are Unix microseconds.
//
// Begin with [Catalog] and [Query].
package catalog
