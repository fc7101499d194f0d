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
	allFilterValues = 10_000   // values of all connections, also of those that have ended
	allFilterBytes  = 4 << 20  // bytes of them
)

// filterValues counts the values that clients have added. The zero value is ready.
type filterValues struct {
	mu  sync.Mutex // guards all, and what each connection has added; held while values are added
	all filtered   // of the whole process
}

type filtered struct{ values, bytes int }

func (f filtered) with(more filtered) filtered {
	return filtered{f.values + more.values, f.bytes + more.bytes}
}

func (f filtered) over(values, bytes int) bool { return f.values > values || f.bytes > bytes }

// addSecrets keeps values out of events, errors and logs from now on, until the process ends: the
// sessions and the logs that may repeat them stay when the client has gone. It adds all values of
// a call or none. A value that is known already costs nothing.
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
	if err := c.srv.filter.add(c, c.srv.opts.Secrets, p.Values); err != nil {
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
		if v = strings.TrimSpace(v); !fresh[v] && !secrets.Knows(v) {
			fresh[v] = true
			more = more.with(filtered{1, len(v)})
		}
	}
	own, all := c.filtered.with(more), f.all.with(more)
	switch {
	case own.over(maxFilterValues, maxFilterBytes):
		return fault.New(fault.Invalid, "", "", "with these values, this connection would have added %d filter values with %d bytes; at most %d with %d bytes are kept for one connection, and none of this call was added",
			own.values, own.bytes, maxFilterValues, maxFilterBytes)
	case all.over(allFilterValues, allFilterBytes):
		return fault.New(fault.Unavailable, "", "", "with these values, the clients of this process would have added %d filter values with %d bytes; at most %d with %d bytes are kept until it ends, and none of this call was added; restart it to go on",
			all.values, all.bytes, allFilterValues, allFilterBytes)
	}
	for v := range fresh {
		secrets.Add(v)
	}
	c.filtered, f.all = own, all
	return nil
}
