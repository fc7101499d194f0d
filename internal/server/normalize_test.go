package server_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ordered sorts what a server wrote at once by what the protocol promises: the
// answers, in the order of the requests in ids, the events of each session, the
// changes of each session.
func ordered(heard []message, ids []string) []message {
	rank := func(m message) int {
		switch m.method {
		case "":
			return slices.Index(ids, m.id) // -1, in front, for a null id
		case "session.event":
			return len(ids)
		}
		return len(ids) + 1
	}
	out := slices.Clone(heard)
	slices.SortStableFunc(out, func(a, b message) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.session, b.session))
	})
	return out
}

// lines returns the messages as a transcript shows them: without the version, and
// what the server may join joined.
func lines(list []message) (out []string) {
	for i, m := range list {
		line := strings.Replace(string(m.raw), `"jsonrpc":"2.0",`, "", 1)
		if i > 0 && len(out) > 0 {
			if whole, ok := join(list[i-1], m, out[len(out)-1]); ok {
				out[len(out)-1] = whole
				continue
			}
		}
		out = append(out, line)
	}
	return out
}
