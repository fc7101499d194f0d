package files

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// load reads the log, by checksum as far as the index goes and parsing the rest, and
// repairs it. Afterwards the log is tidy and the index is right as far as it
// goes. load refuses changed history, unless accept is set.
func (s *stream) load(ctx context.Context, session string, accept bool) error {
	was, size, err := s.compareIndex()
	if err != nil {
		return err
	}
	switch {
	case accept:
		was.accept()
	case was.change != nil && was.change.Sealed:
		return s.refuse(session, was.change)
	}
	seen, err := scanLog(s.file, was.size, size, s.addTidy)
	if err != nil {
		return err
	}
	if err := eventlog.RefuseRepair(ctx, "files.Open", s.path(), cmp.Or(seen.why(), was.why(s.count))); err != nil {
		return err
	}
	if was.stale() || !seen.clean() {
		if err := s.claimAsRead(size); err != nil {
			return err
		}
		defer func() { s.file.Unclaim(vfs.ClaimWrite) }() // the file may be another one by then
	}
	if was.stale() { // before the log changes: an index must never be left with a log that it does not describe
		if err := s.store.dropIndex(s.dir); err != nil {
			return err
		}
	} else {
		s.sidecar = sidecar{count: was.matched, size: was.size, sum: was.sum}
	}
	s.repair, err = s.mend(&was, &seen)
	return err
}

// compareIndex counts the records that match the index. It returns the comparison and
// the size of the file.
func (s *stream) compareIndex() (was compared, size int64, err error) {
	index, err := s.store.openIndex(s.dir)
	if err != nil {
		return was, 0, err
	}
	defer index.close() // before it is removed: Windows does not remove an open file
	info, err := s.file.Stat()
	if err != nil {
		return was, 0, err
	}
	end, err := trimNUL(s.file, 0, info.Size())
	if err != nil {
		return was, 0, err
	}
	was, err = compare(index, s.file, end, false, s.add)
	return was, info.Size(), err
}

// accept treats the log as unchanged.
func (c *compared) accept() {
	if c.stale() {
		c.sound, c.entries, c.change = false, c.matched, nil
	}
}

func (s *stream) refuse(session string, c *Change) error {
	return &fault.Error{
		Op: "files.Open", On: s.path(), Kind: fault.Conflict,
		Hint: fmt.Sprintf("see it with: sidestick sessions verify %s; take the log as it is now with: sidestick sessions verify --accept %[1]s", shellword.Argument(session)),
		Err:  fmt.Errorf("the history was changed: %s", c),
	}
}

// addTidy counts a record that need not be moved.
func (s *stream) addTidy(rec record) error {
	if rec.tidy {
		s.add(rec.off)
	}
	return nil
}

// mend makes the log tidy, and returns what it did and why; nil if there was nothing to do.
func (s *stream) mend(was *compared, seen *scanResult) (*Repair, error) {
	rep := &Repair{}
	var err error
	switch {
	case seen.clean():
		s.size = seen.size
	case seen.scattered():
		rep.Salvaged, rep.Dropped = seen.salvaged, seen.dropped
		rep.SavedAs, err = s.rewrite(seen)
	default:
		rep.CutBytes = seen.size - seen.keep
		rep.SavedAs, err = s.cutEnd(seen)
	}
	if err != nil {
		return nil, err
	}
	if was.entries > s.count {
		rep.Missing = was.entries - s.count
	}
	rep.Reason = strings.Join(reasons(seen.why(), was.why(s.count)), "; ")
	if rep.Reason == "" {
		return nil, nil
	}
	return rep, nil
}

func reasons(all ...string) (some []string) {
	for _, why := range all {
		if why != "" {
			some = append(some, why)
		}
	}
	return some
}

// why describes what is wrong, according to the index, with a log of count records;
// empty if nothing is.
func (c *compared) why(count uint64) string {
	missing := c.entries - min(count, c.entries)
	events := "events are"
	if missing == 1 {
		events = "event is"
	}
	switch {
	case missing > 0 && c.short:
		return fmt.Sprintf("%d %s missing from the end", missing, events)
	case missing > 0:
		return fmt.Sprintf("%d %s missing that had been written", missing, events)
	case c.change != nil:
		return c.change.String()
	}
	return ""
}
