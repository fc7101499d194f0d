// Package files keeps the log of each session in a folder of its own, one event
// a line, for one machine.
//
// # On disk
//
//	<root>/                          …/session-state, 0700
//	    <folder>/                    one session, 0700; see "Names"
//	        events.jsonl             the log, 0600, only ever appended to
//	        events.idx               what was written, by checksum; see "The index"
//	        events.jsonl.cut-<ms>    bytes that a repair took off the end of it,
//	                                 <ms> is when, Unix milliseconds
//	        events.jsonl.damaged-<ms>  the whole log as a repair found it
//	        events.jsonl.<random>.tmp  a repair that a crash interrupted; of no use
//	        …                        whatever else the session keeps there
//	    .deleted/<random>/           a session that is being deleted, or is not yet
//	                                 imported; the next Open removes it
//
// A log is UTF-8 text, each record a JSON object and a line feed:
//
//	offset 0          1        2         n           n+1
//	       |{         |"       |type…    |}          |0x0A      next record
//	       +---- record, n+1 bytes ------+-----------+--------- …
//
// There is no header, no length and no checksum in it: cat, tail -f and jq read
// it, and so do the runtimes of others. The position of a record, its Seq, is
// its ordinal in the file. An open log is tidy: one record a line, at most 64 MiB
// long, and no blank or blank line before, between or behind them.
//
// What is read may be written by somebody else, who crashed:
//
//	in the log                              is read as
//	several objects on a line               so many records
//	spaces, \r, NUL bytes around objects    not there
//	a blank line                            not there
//	U+2028, U+2029 in a string              themselves; only 0x0A ends a line
//	a raw line feed in a string             \n, and the lines as one record
//	another raw control character in one    escaped; but NUL ends the record: there
//	                                        data never arrived
//	half a record, and on the same line     the other record
//	another that is whole
//	any other text, a record above 64 MiB   not there; a broken piece
//
// A whole object is a record where a line begins, or directly behind a record.
// Elsewhere, among what is none, it also needs a "type" that is a string. A line
// that is sound by itself is always taken as it is, never as a part of something
// that began above. Reading takes time in proportion to the file and memory for
// the longest record, whatever is in it.
//
// [Store.Open] makes a log tidy that is not:
//
//   - Only the end is wrong: half a record, NUL bytes that a file system put where
//     data never arrived, a missing line feed. What follows the last record is
//     written beside the log, synced, and cut.
//   - There are records behind what is none: the whole log is copied beside,
//     synced, and a tidy one with every record takes its place, in one step and
//     durably. A crash leaves the one or the other.
//
// Either way each record is as it was written but for the characters that had to
// be escaped, nothing is lost, and the next Open finds nothing to repair.
//
// # The index
//
// events.idx says what was written, so that a log can be opened without parsing
// it, and a change to it does not go unnoticed. It is derived: it may be removed
// at any time, and is made anew by the next Open. All numbers are little endian.
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
// An index is believed up to the first entry whose own checksum is wrong, or
// whose record does not begin where the one before it ends.
//
// It is only ever appended to, 64 records or 1 MiB behind the log at most and
// up to it when the session is closed, without being synced, and by reading back
// what was appended: an open session keeps neither entries nor a descriptor for
// it. One that cannot be written is given up until the next Open, and fails
// nothing else.
//
// What a crash leaves. After kill -9 the index is behind the log, and extended.
// After a loss of power each file may have lost any part of what was not synced,
// independently: the index can be short, zero, or ahead of the log, and the log
// can be short or have holes where the index has entries. To tell that from a
// change by somebody, an entry is sealed if the log had been synced up to its
// record before the entry was written. A sealed entry vouches for all before it.
// Hence, for the first record that is not as its entry says:
//
//	the log ends before it              repaired; the reason says how many records
//	                                    are missing
//	it, or one behind it, is sealed     changed history: refused, and the line named
//	  but there are NUL bytes in it     repaired: disks do that, people do not
//	nothing sealed from it on           repaired: it was never promised to stay
//
// Under [SyncOS] nothing is ever sealed. Entries never stand beside another log
// than theirs: an index that is not right to its end is removed, durably, before
// the log is repaired, and so is one that lies where a log is created.
//
// [Store.Verify] compares also the running hashes, and [Store.Accept] takes a
// changed log for what was written.
//
// # What survives what
//
//	                                process killed   power lost
//	record, Append returned nil     yes              if durable, by Options.Sync
//	record, Append did not return   yes, no or the   the same
//	                                first of several
//	session deleted or imported     whole or gone    whole or gone
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
// An open stream holds a file descriptor and 8 bytes for each 64 records. Opening
// reads the log once, by checksum where the index vouches for it and parsing the
// rest; reading needs memory for the longest line, whatever the length of the
// log.
package files
