package files

import (
	"fmt"
	"io"
	"strings"
)

// scanResult describes a part of a log, from the beginning of a line to the end of the
// file.
type scanResult struct {
	size int64 // of the file
	end  int64 // of the file without the NUL bytes at its end

	tidy int64 // up to this offset the log is tidy
	keep int64 // tidy, or the end of one more record that lacks only its line feed
	// later is how many records there are behind tidy, including that one.
	later uint64

	ended             bool // a line feed ends the last line
	salvaged, dropped int
}

// scanLog reads a log from offset from and calls each for every record, which is
// valid until the next one. The file has size bytes.
func scanLog(f io.ReaderAt, from, size int64, each func(record) error) (scanResult, error) {
	end, err := trimNUL(f, from, size)
	if err != nil {
		return scanResult{}, err
	}
	v := scanResult{size: size, end: end}
	r := newRecords(f, from, end)
	for {
		rec, err := r.read()
		if err == io.EOF {
			break
		}
		if err == nil {
			v.count(r, rec)
			err = each(rec)
		}
		if err != nil {
			return scanResult{}, err
		}
	}
	v.tidy, v.keep = r.tidy, max(v.keep, r.tidy)
	v.ended, v.salvaged, v.dropped = r.ended, r.salvaged, r.dropped
	return v, nil
}

func (v *scanResult) count(r *records, rec record) {
	if rec.tidy {
		return
	}
	v.later++
	if v.later == 1 && rec.off == r.tidy {
		v.keep = rec.off + int64(len(rec.json))
	}
}

// trimNUL returns the size of the file without the NUL bytes at its end, but at
// least from.
func trimNUL(f io.ReaderAt, from, size int64) (int64, error) {
	buf := make([]byte, min(4<<10, size-from))
	for size > from {
		part := buf[:min(int64(len(buf)), size-from)]
		if _, err := f.ReadAt(part, size-int64(len(part))); err != nil {
			return 0, cutUnder(err)
		}
		for n := len(part); n > 0; n-- {
			if part[n-1] != 0 {
				return size - int64(len(part)-n), nil
			}
		}
		size -= int64(len(part))
	}
	return size, nil
}

// clean reports whether there is nothing to repair.
func (v *scanResult) clean() bool { return v.tidy == v.size }

// scattered reports whether there are records behind text that is not a record, so that
// cutting off the end would lose them.
func (v *scanResult) scattered() bool {
	return v.later > 1 || v.later == 1 && v.keep == v.tidy
}

// why describes what is wrong; empty if nothing is.
func (v *scanResult) why() string {
	switch cut, nul := v.size-v.keep, v.size-v.end; {
	case v.clean():
		return ""
	case v.scattered():
		return v.scatter()
	case cut == 0:
		return "the last line had no line feed"
	case cut == nul:
		return fmt.Sprintf("the log ended in %d NUL bytes", nul)
	case nul > 0:
		return fmt.Sprintf("the last line was not finished and ended in %d NUL bytes", nul)
	case v.ended:
		return "the end of the log held no event"
	}
	return "the last line was not finished"
}

func (v *scanResult) scatter() string {
	var why []string
	switch {
	case v.salvaged == 1:
		why = append(why, "1 event was not in order and was recovered")
	case v.salvaged > 1:
		why = append(why, fmt.Sprintf("%d events were not in order and were recovered", v.salvaged))
	}
	switch {
	case v.dropped == 1:
		why = append(why, "1 broken piece held no event")
	case v.dropped > 1:
		why = append(why, fmt.Sprintf("%d broken pieces held no event", v.dropped))
	}
	if why == nil {
		return "there were blanks between the events"
	}
	return strings.Join(why, "; ")
}
