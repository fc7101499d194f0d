// Package files keeps the log of each session in a folder of its own, one event
// per line, on one machine.
//
// # On disk
//
//	<root>/                          …/session-state, 0700
//	    <folder>/                    one session, 0700; see "Names"
//	        events.jsonl             the log, 0600, only ever appended to
//	        events.idx               checksums of the written events; see "The index"
//	        events.payloads/         events that are too long for the log, a file
//	            sha256-<hex>         for each, 0600; see "Payloads"
//	        events.jsonl.cut-<ms>    bytes that a repair cut off the end of the log;
//	                                 <ms> is the time, Unix milliseconds
//	        events.jsonl.damaged-<ms>  the whole log as a repair found it
//	        events.jsonl.<random>.tmp  left by a repair that a crash interrupted; unused
//	        …                        other files of the session
//	    .deleted/<random>/           a session that is being deleted, or is not imported
//	                                 yet; the next Open removes it
//
// A log is UTF-8 text, each record a JSON object and a line feed:
//
//	offset 0          1        2         n           n+1
//	       |{         |"       |type…    |}          |0x0A      next record
//	       +---- record, n+1 bytes ------+-----------+--------- …
//
// The log contains no header, no length and no checksum, so that cat, tail -f, jq and
// other runtimes can read it. The position of a record is its number in the file,
// counted from 1. The log of an open session is tidy: it has one record per line, and no blanks
// before, between or after them. This package writes records of at most 256 KiB
// ([eventlog.MaxRecord]) and reads lines of at most 64 MiB: other runtimes, and older
// versions of this one, write long lines.
//
// The log may have been written by another program, which may have crashed:
//
//	in the log                              is read as
//	several objects on a line               as many records
//	spaces, \r, NUL bytes around objects    nothing
//	a blank line                            nothing
//	U+2028, U+2029 in a string              themselves; only 0x0A ends a line
//	a raw line feed in a string             \n, and the lines as one record
//	bytes that are not UTF-8 in a string    U+FFFD, as many decoders read them
//	another raw control character in one    an escape sequence; but NUL ends the
//	                                        record: data never arrived there
//	half a record, and on the same line     the other record
//	another that is complete
//	any other text, a line above 64 MiB     nothing; a broken piece
//
// A complete object is a record where a line begins, or directly after a record.
// Within text that is not a record, it also needs a "type" that is a string. A line
// that is valid JSON by itself is always read as a record of its own. Reading takes time in proportion to the file and memory for
// the longest record, for every content of the file.
//
// [Store.Open] makes a log tidy that is not:
//
//   - Only the end is wrong: half a record, NUL bytes that a file system put where
//     data never arrived, a missing line feed. Open writes what follows the last
//     record to a file beside the log, syncs that, and cuts the log.
//   - There are records after text that is not a record. Open copies the whole log to a
//     file beside it, syncs that, and replaces the log by a tidy one with every record,
//     in one step and durably. A crash leaves the old log or the new one.
//
// Either way each record stays as it was written, except for characters that had to
// be escaped or replaced, nothing is lost, and the next Open finds nothing to repair.
//
// # The index
//
// events.idx says what was written, so that a log can be opened without parsing
// it and a change to it is noticed. It is derived: it may be removed
// at any time, and the next Open makes it again. All numbers are little endian.
//
//	offset  bytes  header
//	     0      8  "SSTICKIX"
//	     8      4  1, the version
//	    12      4  56, the bytes of an entry
//
//	offset  bytes  entry of record n, at 16 + 56 (n-1)
//	     0      8  where the record begins in events.jsonl
//	     8      4  its length, without the line feed
//	    12      4  CRC-32C (Castagnoli) of its bytes
//	    16     32  running hash: h(n) = SHA-256(h(n-1) || its bytes), h(0) = 32 zero bytes
//	    48      4  flags: 1 sealed, others 0
//	    52      4  CRC-32C of the 52 bytes before
//
// An index counts up to the first entry whose own checksum is wrong, or
// whose record does not begin where the one before it ends.
//
// It is only ever appended to, at most 64 records or 1 MiB behind the log, and up
// to the end of the log when the session is closed. It is not synced, and it is made by
// reading back what was appended: an open session holds neither entries nor a
// descriptor for it. If it cannot be written, it is not written again until the next Open, and
// nothing else fails.
//
// A crash leaves the two files in different states. After kill -9 the index is behind
// the log, and Open extends it. After a loss of power each file may have lost any part of
// what was not synced, independently: the index can be short, zero, or ahead of the log,
// and the log can be short or have holes where the index has entries. To tell such damage
// from a change by a program, an entry is sealed if the log had been synced up to its
// record before the entry was written. A sealed entry vouches for all before it.
// Hence, for the first record that is not as its entry says:
//
//	the log ends before it              repaired; the reason says how many records
//	                                    are missing
//	it, or one after it, is sealed      changed history: refused, and the line named
//	  but there are NUL bytes in it     repaired: NUL bytes come from a crash
//	nothing sealed from it on           repaired: it had not been synced
//
// Under [SyncOS] no entry is sealed. An index that does not match the log to its end is
// removed durably before the log is repaired or created.
//
// [Store.Verify] also compares the running hashes and the payloads, and [Store.Accept]
// accepts a changed log as correct.
//
// # Payloads
//
// Package eventlog stores an event above 256 KiB as a payload, and a reference to it in
// the log. A payload is a file in events.payloads whose name is the SHA-256 of its
// bytes. It is written to a temporary file, synced and renamed, and its folder is synced,
// before the reference is appended, for every value of [Options.Sync]. So after any crash
// each reference has its payload; a payload without a reference can be left over, and
// goes with the session. A payload whose bytes do not fit its name is damaged.
//
// # What survives what
//
//	                                process killed   power lost
//	record, Append returned nil     yes              if durable, by Options.Sync
//	record, Append did not return   yes, no or the   the same
//	                                first of several
//	session deleted or imported     whole or not     whole or not
//
// A durable append of one session alone is one fsync of the log; the first on a
// stream also syncs the folders above it. Sessions that append while the disk is
// busy wait, and are then made durable together: two or more by one
// [vfs.File.SyncAll], where the system has it and other programs do not slow it
// down, else each by its own fsync. All records before a durable one are durable.
//
// After a failed write the log is cut back to where it was, and stays usable.
// After a failed sync it is unknown what is on disk; every stream that waited
// for it refuses to append until its session is opened again.
//
// # Several processes
//
// Any number of processes may have a session open, and take turns at it. The process
// that works in a session holds a claim on the log ([vfs.ClaimWrite]), which is its
// lease. Claims and deletions by others are then a [fault.Conflict] that names the
// process. The operating system keeps the claim and drops it with the descriptor, so
// after kill -9 the next process takes over; there is no lock file and no process id
// on disk.
//
//	                     Linux                   other Unix, macOS    Windows
//	who is writing       lock of the open file   flock of the log     LockFileEx
//	                     description, on bytes
//	                     far beyond the log
//	which process        by the length of the    unknown              unknown
//	                     lock
//	who has it open      as above, shared        unknown              unknown
//
// The lock is the fencing token: the system grants it to one descriptor at a time, and never
// takes it from a running process. So a lease is lost only if a program that asks for no claim
// deletes the session or replaces its log. The stream notices that when it claims, when
// an append fails, when it writes the index or a payload, and not before. The epoch of a
// lease is the position of the first record that it can append: nothing is stored for it.
//
// Claim reads the records that the others have appended. If they did anything else to the
// log, or left half a record, Claim returns a Conflict, and opening the session again
// repairs it. Open cuts and completes nothing while another process is writing:
// a record that looks truncated may still be being written.
//
// A log that is watched ([eventlog.Stream.Watch]) is looked at again 100 ms after a look that
// found something; each look that finds nothing doubles that, up to 2 s. A look is one stat.
// Only whole lines count, and nothing is repaired. The owner removes lines of an append that
// has failed, so the last record that was noticed is compared, by its checksum, before
// anything behind it is noticed, and before a claim succeeds. A stream that has noticed
// records does not write them to the index: that is the owner's.
//
// Not every program asks for the claim, nor does every file system keep one. So
// before each append the size of the file is compared with the known size.
// If another program has written, the append is a Conflict and nothing is written. Two
// appends in the same microsecond can pass that check: both records are then
// complete (the file is opened with O_APPEND), and both processes notice at their
// next append, or at once by the size after a failed write.
//
// # Names
//
// The folder of a session has the id of the session as its name, if that consists of
// A–Z, a–z, 0–9, '.', '_' and '-'. Every other byte is written %XX, as are a dot at
// either end and the first letter of names that Windows reserves (CON, NUL.txt). So
// no id leads out of the root, and [Store.Sessions] reads ids from names. On a file
// system that ignores case, ids that differ only in case are one session.
// An id is refused if it is empty, longer than 200 bytes, longer than 255 as a
// name, "..", not UTF-8, or has a separator or a character that cannot be printed.
//
// # Cost
//
// An open stream holds a file descriptor and 8 bytes for each 64 records. Opening
// reads the log once: by checksum as far as the index goes, and parsing the
// rest. Reading needs memory for the longest line, for every length of the log.
package files
