package server

import (
	"context"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/obs"
)

// Bounds of secrets.addFilterValues. Each value takes about twelve times its bytes, for its
// encodings: all of them together take some 50 MiB at most.
const (
	maxFilterCall   = 1000     // values of one call
	maxFilterValue  = 16 << 10 // bytes of one value; a private key of 8,192 bits has 6,400
	maxFilterValues = 2000     // values that one connection adds
	maxFilterBytes  = 1 << 20  // bytes of them
	allFilterValues = 10_000   // values of all connections that have not ended
	allFilterBytes  = 4 << 20  // bytes of them
)

// filterValues are the values that clients have added. Those of connections that have ended stay, until the
// values of others need their room. The zero value is ready.
type filterValues struct {
	mu     sync.Mutex     // guards the rest, and the values of each connection; held while values are added
	lent   *obs.Redactor  // knows the values; nil before the first one
	added  map[string]int // by how many connections each value was added
	living filtered       // of the connections that have not ended
	all    filtered       // the same with those in gone
	gone   []filterShare  // of connections that have ended, the oldest first
}

// filterShare are the values of one connection.
type filterShare struct {
	values map[string]bool
	filtered
}

type filtered struct{ count, bytes int }

func (f filtered) with(more filtered) filtered {
	return filtered{f.count + more.count, f.bytes + more.bytes}
}

func (f filtered) without(less filtered) filtered {
	return filtered{f.count - less.count, f.bytes - less.bytes}
}

func (f filtered) over(count, bytes int) bool { return f.count > count || f.bytes > bytes }

// addSecrets keeps values out of events, errors and logs from now on. They stay when the client has gone, because the
// sessions and the logs that may repeat them stay, too, until later clients need their room. It adds all values of
// a call or none. A value that the connection has added before costs nothing. One that others have added does
// cost: else a client could find out what others have added.
func addSecrets(_ context.Context, c *conn, p struct {
	Values []string `json:"values"`
},
) (any, error) {
	if len(p.Values) > maxFilterCall {
		return nil, unfit("values has %d values, want %d or fewer", len(p.Values), maxFilterCall)
	}
	for i, v := range p.Values {
		switch n := len(strings.TrimSpace(v)); {
		case n < obs.MinSecret:
			return nil, unfit("values: value %d is shorter than %d bytes, and would hide ordinary text", i, obs.MinSecret)
		case n > maxFilterValue:
			return nil, unfit("values: value %d has %d bytes, want %d or fewer", i, n, maxFilterValue)
		}
	}
	if err := c.srv.filter.add(c, c.home().Secrets, p.Values); err != nil {
		return nil, err
	}
	return struct {
		OK bool `json:"ok"`
	}{true}, nil
}

func (f *filterValues) add(c *conn, secrets *obs.Redactor, values []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	more, fresh := filtered{}, map[string]bool{}
	for _, v := range values {
		if v = strings.TrimSpace(v); !fresh[v] && !c.filtered.values[v] {
			fresh[v] = true
			more = more.with(filtered{1, len(v)})
		}
	}
	switch {
	case c.filtered.with(more).over(maxFilterValues, maxFilterBytes):
		return fault.New(fault.Invalid, "", "", "with these values, this connection would have added too many filter values; at most %d with %d bytes are kept for one connection, and none of this call was added",
			maxFilterValues, maxFilterBytes)
	case f.living.with(more).over(allFilterValues, allFilterBytes):
		return fault.New(fault.Unavailable, "", "", "with these values, the clients that are connected would have added too many filter values; at most %d with %d bytes are kept for all of them, and none of this call was added; try again when another client has gone",
			allFilterValues, allFilterBytes)
	}
	if f.lent == nil {
		f.lent, f.added = &obs.Redactor{}, map[string]int{}
		secrets.Lend(f.lent)
	}
	if c.filtered.values == nil {
		c.filtered.values = map[string]bool{}
	}
	f.living, f.all, c.filtered.filtered = f.living.with(more), f.all.with(more), c.filtered.with(more)
	for v := range fresh {
		c.filtered.values[v] = true
		f.added[v]++
		f.lent.Add(v)
	}
	f.makeRoom(secrets)
	return nil
}

// makeRoom forgets values of connections that have ended, those that have ended first, until the rest is within
// the bounds.
func (f *filterValues) makeRoom(secrets *obs.Redactor) {
	forgotten := false
	for len(f.gone) > 0 && f.all.over(allFilterValues, allFilterBytes) {
		oldest := f.gone[0]
		f.gone, f.all = f.gone[1:], f.all.without(oldest.filtered)
		for v := range oldest.values {
			if f.added[v]--; f.added[v] == 0 {
				delete(f.added, v)
				forgotten = true
			}
		}
	}
	if !forgotten {
		return
	}
	f.lent = &obs.Redactor{}
	for v := range f.added {
		f.lent.Add(v)
	}
	secrets.Lend(f.lent)
}

// leave notes that a connection has ended: its values stay, and make room for those of others.
func (f *filterValues) leave(c *conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(c.filtered.values) > 0 {
		f.gone, f.living = append(f.gone, c.filtered), f.living.without(c.filtered.filtered)
	}
}
