package listing

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// shortest is the least length of a shortened id, in characters. The ids that this program makes
// begin with the time in milliseconds (UUID version 7), which takes 12 digits and a hyphen: sessions
// of different milliseconds differ in these characters, so that a later session does not make the
// shortened id of an earlier one ambiguous.
const shortest = 13

// lengthOfUUID is that of the usual form, in characters.
const lengthOfUUID = 36

// Shortener returns the function that shortens ids of sessions: to the shortest beginning, of at
// least 13 characters, that no other of ids has. It shortens UUIDs only: users and clients have
// given the other ids a meaning. Every list and message for users has ids in this form, and
// everything that takes an id from a user also takes its beginning.
func Shortener(ids []string) func(id string) string {
	sorted := slices.Sorted(slices.Values(ids))
	return func(id string) string {
		if _, ok := wire.ParseID(id); !ok || len(id) != lengthOfUUID {
			return id
		}
		n := shortest
		i, found := slices.BinarySearch(sorted, id)
		if i > 0 {
			n = max(n, common(id, sorted[i-1])+1)
		}
		if found {
			i++
		}
		if i < len(sorted) {
			n = max(n, common(id, sorted[i])+1)
		}
		if n < len(id) && id[n-1] == '-' {
			n++
		}
		return id[:min(n, len(id))]
	}
}

// common is the length of the beginning that two ids have in common.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Shortener returns [Shortener] for all stored sessions. If they cannot be listed, it returns the
// function that changes no id.
func (l *Lists) Shortener(ctx context.Context) func(id string) string {
	stamps, err := l.stamps(ctx)
	if err != nil {
		return func(id string) string { return id }
	}
	ids := make([]string, len(stamps))
	for i, s := range stamps {
		ids[i] = s.ID
	}
	return Shortener(ids)
}
