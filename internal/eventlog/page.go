package eventlog

import (
	"context"
	"errors"
)

// stride is how many records a backward read with a Match goes back in one step.
const stride = 256

// forward reads a page from t. Afterwards it parks t for the next page, unless the
// request leaves ephemeral records out. before is the mark of the last persisted record
// before t.
func (p *Pager) forward(ctx context.Context, req PageRequest, t *Tail, page Page, before uint64) (Page, error) {
	missed := t.Missed()
	last, err := page.fill(ctx, req, t)
	if err != nil {
		t.Close()
		return Page{}, err
	}
	if last != nil {
		before = mark(last)
	}
	if page.More = t.Pending(); !req.Persisted && page.Missed >= 0 {
		page.Missed += int64(t.Missed() - missed)
	}
	if page.Cursor = t.at(before); req.Persisted {
		t.Close()
		return page, nil
	}
	p.park(page.Cursor, t)
	return page, nil
}

// fill reads what there is, and waits for something if there is nothing. It returns
// the last persisted record that it passed.
func (page *Page) fill(ctx context.Context, req PageRequest, t *Tail) (last []byte, err error) {
	waits := req.Wait > 0
	if !waits && !t.Pending() {
		return nil, nil
	}
	patience := ctx
	if waits {
		var cancel context.CancelFunc
		patience, cancel = context.WithTimeout(ctx, req.Wait)
		defer cancel()
	}
	size := 0
	for rec, err := range t.Records(patience) {
		if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			break // req.Wait is over
		}
		if err != nil {
			return nil, err
		}
		if !rec.Ephemeral {
			last = rec.JSON
		}
		if req.wants(rec) {
			page.Records = append(page.Records, rec)
			size += rec.size()
		}
		full := len(page.Records) == req.Max || size >= pageBytes
		if full || (len(page.Records) > 0 || !waits) && !t.Pending() {
			break
		}
	}
	return last, nil
}

func (r *PageRequest) wants(rec Record) bool {
	return (!rec.Ephemeral || !r.Persisted) && (r.Match == nil || r.Match(rec))
}

// back reads a page of the records before position end.
func (p *Pager) back(ctx context.Context, req PageRequest, page Page, end uint64) (Page, error) {
	w := window{req: req, records: make([]Record, 0, min(req.Max, stride))}
	step := uint64(req.Max)
	if req.Match != nil {
		step = max(step, stride)
	}
	for end > 1 && !w.full() {
		begin := end - min(end-1, step)
		if err := w.extend(ctx, p.log, begin, end); err != nil {
			return Page{}, err
		}
		if end = begin; w.full() {
			end = w.records[0].Pos
		}
	}
	at, err := p.at(ctx, cursor{back: true, pos: end, run: p.log.run})
	page.Records, page.Cursor, page.More = w.records, at.String(), end > 1
	return page, err
}

// window holds the newest records of a range, as many as fit a page.
type window struct {
	req     PageRequest
	records []Record
	size    int
	cut     bool // the page was full before all records of the range were in it
}

func (w *window) full() bool { return len(w.records) == w.req.Max || w.cut || w.size >= pageBytes }

// extend puts the records from position begin to before end in front of the others.
func (w *window) extend(ctx context.Context, l *Log, begin, end uint64) error {
	older := window{req: w.req, size: w.size}
	older.req.Max -= len(w.records)
	for rec, err := range l.Read(ctx, begin) {
		if err != nil {
			return err
		}
		if rec.Pos == end {
			break
		}
		if w.req.wants(rec) {
			older.slide(rec)
		}
	}
	w.records, w.size, w.cut = append(older.records, w.records...), older.size, older.cut
	return nil
}

// slide adds a record at the end, and drops records at the front that no longer fit.
func (w *window) slide(rec Record) {
	w.records = append(w.records, rec)
	w.size += rec.size()
	for len(w.records) > w.req.Max || w.size-w.records[0].size() >= pageBytes && len(w.records) > 1 {
		w.size -= w.records[0].size()
		w.records[0] = Record{}
		w.records = w.records[1:]
		w.cut = true
	}
}
