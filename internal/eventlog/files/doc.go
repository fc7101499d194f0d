// Package files keeps the log of each session in a folder of its own, one event
// a line, for one machine.
//
// # On disk
//
//	<root>/                          …/session-state, 0700
//	    <folder>/                    one session, 0700; see "Names"
//	        events.jsonl             the log, 0600, only ever appended to
//	        events.jsonl.cut-<ms>    bytes that a repair took off the end of it,
//	                                 <ms> is when, Unix milliseconds
//	        …                        whatever else the session keeps there
//	    .deleted/<random>/           a session that is being deleted
//
// A log is UTF-8 text, each record a JSON object and a line feed:
//
//	offset 0          1        2         n           n+1
//	       |{         |"       |type…    |}          |0x0A      next record
//	       +---- record, n+1 bytes ------+-----------+--------- …
//
// There is no header, no length and no checksum: cat, tail -f and jq read it,
// and so do the runtimes of others. The position of a record, its Seq, is its
// ordinal in the file. What this package writes is one record a line, at most
// 64 MiB long, and never a line feed, blank line or space between records.
//
// What it reads may be written by somebody else, who crashed:
//
//	in the log                            is read as
//	several objects on a line             so many records
//	spaces, \r, NUL bytes around objects  not there
//	a blank line                          not there
//	U+2028, U+2029 in a string            themselves; only 0x0A ends a line
//	another line, or one above 64 MiB     not there; reported, left in the file
//
// [Store.Open] also repairs the end, so that the next record starts on a line
// of its own. It keeps everything up to the last whole object, adds the line
// feed if it is missing, and cuts the rest: half a record, or NUL bytes that a
// file system put where data never arrived. What is cut is first written beside
// the log and synced: nothing is ever lost.
//
// # What survives what
//
//	                                process killed   power lost
//	record, Append returned nil     yes              if durable, by Options.Sync
//	record, Append did not return   yes, no or the   the same
//	                                first of several
//	session deleted                 whole or gone    whole or gone
//
// A durable append of a session alone is one fsync of the log; the first on a
// stream also syncs the folders above it. Sessions that come while the disk is
// busy wait, and are then made durable together: two or more by one
// [vfs.File.SyncAll], where the system has it and it is not held up by what other
// programs write, else each by its own fsync. All records before a durable one
// are durable.
//
// After a failed write the log is cut back to where it was, and stays usable;
// after a failed sync nobody knows what is on disk, and every stream that waited
// for it refuses to go on until its session is opened anew.
//
// # Two processes
//
// Any number of processes may have a session open, and take turns at it. Who
// works in it holds a claim on the log ([vfs.ClaimWrite]): by Claim for a run, or
// by Append for as long as that takes. To the others, and to who would delete
// the session, that is a [fault.Conflict] which names the process. The operating
// system keeps the claim and drops it with the descriptor, so after kill -9 the
// next one takes over; there is no lock file and no process id on disk.
//
//	                     Linux                   other Unix, macOS    Windows
//	who is at work       lock of the open file   flock of the log     LockFileEx
//	                     description, on bytes
//	                     far beyond the log
//	which process        by the length of the    unknown              unknown
//	                     lock
//	who has it open      as above, shared        unknown              unknown
//
// Claim takes in what the others have appended. If they did anything else to the
// log, or left half a record, it is a Conflict, and opening the session anew
// repairs it. Open cuts and completes nothing while another process is at work:
// what looks torn may be on its way.
//
// Not every program asks for the claim, nor does every file system keep one. So
// before each append the size of the file is compared with what is known of it;
// if somebody else wrote, the append is a Conflict and nothing is written. Two
// appends in the same microsecond can pass that check: both records are then
// whole (the file is opened with O_APPEND), and both processes are told at their
// next append, or at once by the size after a failed write.
//
// # Names
//
// The folder of a session is called as its id, if that consists of A–Z, a–z,
// 0–9, '.', '_' and '-'. Every other byte is written %XX, as are a dot at
// either end and the first letter of what Windows reserves (CON, NUL.txt). So
// no id leaves the root, and [Store.Sessions] reads ids from names. On a file
// system that ignores case, ids that differ in nothing else are one session.
// An id is refused if it is empty, longer than 200 bytes, longer than 255 as a
// name, "..", not UTF-8, or has a separator or a character one cannot print.
//
// # Cost
//
// An open stream holds a file descriptor and 8 bytes for each 64 records.
// Reading needs memory for the longest line, whatever the length of the log.
package files
