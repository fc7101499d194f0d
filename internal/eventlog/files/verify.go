package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Report is the result of [Store.Verify].
type Report struct {
	Session string `json:"sessionId"`
	Bytes   int64  `json:"bytes"`
	// Records is how many events can be read. According to the index, the first Vouched
	// of them are byte for byte what was written; for the rest that is unknown.
	Records uint64 `json:"events"`
	Matched uint64 `json:"vouched"`
	Index   Index  `json:"index"`
	// Missing is how many events are in the index and not in the log.
	Missing uint64 `json:"missing"`
	// Payloads is how many events have a payload that is missing or damaged, and Lost
	// describes the first 100 of them.
	Payloads int    `json:"payloadsLost,omitempty"`
	Lost     []Lost `json:"lost,omitempty"`
	// Changed is the first line that is not what was written; nil if there is none.
	Changed *Change `json:"changed,omitempty"`
	// Damage describes what the next Open repairs; empty if there is nothing to repair.
	Damage string `json:"damage,omitempty"`
	// Hash is the running SHA-256 behind the last event, in hexadecimal. Two logs
	// with the same hash hold the same events, from the first to the last.
	Hash string `json:"sha256"`
}

// Index says how far the index of a log goes.
type Index string

const (
	IndexAbsent  Index = "absent"  // there is none, or one that cannot be read
	IndexBehind  Index = "behind"  // it lacks the last events, as while a session is open or after a crash
	IndexCurrent Index = "current" // it knows every event of the log
)

// maxLost bounds the events in [Report.Lost] and [Imported.Lost].
const maxLost = 100

// Intact reports whether nothing is changed, damaged or missing. An empty log is not
// intact: every session has a first event.
func (r *Report) Intact() bool {
	return r.Records > 0 && r.Changed == nil && r.Damage == "" && r.Missing == 0 && r.Payloads == 0
}

// Verify reads the log of a session, its index and its payloads, and changes nothing. It
// may be used while the session is open, here or in another process; then the last
// event can be one that is still being written. The errors are those of
// [eventlog.Store] and of [Open]. A log that is damaged or changed is not an error.
func (s *Store) Verify(session string) (Report, error) {
	const op = "files.Verify"
	dir, err := s.dir(op, session)
	if err != nil {
		return Report{}, err
	}
	path := filepath.Join(dir, logName)
	f, err := s.fs.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return Report{}, s.missing(op, session, path, err)
	}
	defer f.Close()
	r := Report{Session: session}
	if err := s.verify(&r, dir, f); err != nil {
		return Report{}, failed(op, path, err)
	}
	return r, nil
}

func (s *Store) verify(r *Report, dir string, f vfs.File) error {
	for range 3 { // a line that is being written at this moment is not damaged
		index, err := s.openIndex(dir)
		if err != nil {
			return err
		}
		size, refs, err := r.read(index, f)
		if err != nil {
			return err
		}
		r.Payloads, r.Lost = s.lostPayloads(dir, refs)
		info, err := f.Stat()
		if err != nil || r.Damage == "" || info.Size() == size {
			return err
		}
	}
	return nil
}

// lostPayloads is how many payloads are missing or damaged, and the first [maxLost] of them.
func (s *Store) lostPayloads(dir string, refs []reference) (n int, lost []Lost) {
	for _, ref := range refs {
		_, err := s.payload(dir, ref.name)
		if err == nil {
			continue
		}
		if n++; n <= maxLost {
			lost = append(lost, ref.lost(err))
		}
	}
	return n, lost
}

// read fills in the report. It returns how long the log was then, and which payloads
// its records refer to.
func (r *Report) read(index *indexReader, f vfs.File) (size int64, refs []reference, err error) {
	defer index.close()
	info, err := f.Stat() // after the index was opened: a log grows before its index does
	if err != nil {
		return 0, nil, err
	}
	size = info.Size()
	end, err := trimNUL(f, 0, size)
	if err != nil {
		return 0, nil, err
	}
	was, err := compare(index, f, end, true, func(int64) {})
	if err != nil {
		return 0, nil, err
	}
	sum, sums, records := was.sum, sha256.New(), was.matched
	refs = was.refs
	seen, err := scanLog(f, was.size, size, func(rec record) error {
		chain(sums, &sum, rec.json)
		records++
		if ref, ok := referenceOf(records, rec.json); ok {
			refs = append(refs, ref)
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	r.Bytes, r.Records, r.Matched, r.Hash = size, records, was.matched, hex.EncodeToString(sum[:])
	r.Index, r.Changed, r.Damage = was.index(records), was.change, seen.why()
	r.Missing = was.entries - min(records, was.entries)
	return size, refs, nil
}

func (c *compared) index(records uint64) Index {
	switch {
	case c.entries == 0:
		return IndexAbsent
	case c.entries < records:
		return IndexBehind
	}
	return IndexCurrent
}

// Accept takes the log of a session, as it is now, as its history, and makes
// its index again. It repairs damage, as [Store.Open] does, and returns the same errors,
// except for the one about changed history. The session must not be open.
func (s *Store) Accept(session string) (*Repair, error) {
	st, err := s.open(context.Background(), session, true)
	if err != nil {
		return nil, err
	}
	lease, err := st.Claim(context.Background(), "")
	if err == nil {
		err = lease.Append(context.Background(), st.Len(), nil, true)
	}
	if err != nil {
		_ = st.Close() // nothing was written
		return nil, err
	}
	return st.repair, st.Close()
}
