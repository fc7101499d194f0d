package listing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestShortener(t *testing.T) {
	ids := []string{
		"019ab3c5-1111-7c39-9a55-2f6c1d8f7a10",
		"019ab3c5-1119-7c39-9a55-2f6c1d8f7a10", // begun in the same minute
		"019ab3c5-2111-7c39-9a55-2f6c1d8f7a10",
		"019ab3c6-1111-7c39-9a55-2f6c1d8f7a10",
		"ffffffff-1111-7c39-9a55-2f6c1d8f7a10",
		"ffffffff-1111-7c39-9a55-2f6c1d8f7a11",
		"notes", "notes-2", "a session of a client with an id of its own",
	}
	want := []string{
		"019ab3c5-1111", "019ab3c5-1119", "019ab3c5-2111", "019ab3c6-1111", ids[4], ids[5], "notes", "notes-2", ids[8],
	}
	short := listing.Shortener(ids)
	var got []string
	for _, id := range ids {
		got = append(got, short(id))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if got := short("019ab3c5-3111-7c39-9a55-2f6c1d8f7a10"); got != "019ab3c5-3111" {
		t.Errorf("an id that is not stored yet: %q", got)
	}
	// A session that begins a millisecond later does not make the id ambiguous.
	if got := listing.Shortener(nil)(ids[0]); got != "019ab3c5-1111" {
		t.Errorf("an only id: %q", got)
	}
}

// A shortened id names one session and no other.
func TestShortenedIDsAreUnique(t *testing.T) {
	var ids []string
	for range 200 { // all within a second
		ids = append(ids, wire.NewSessionID())
	}
	short := listing.Shortener(ids)
	for _, id := range ids {
		n := 0
		for _, other := range ids {
			if strings.HasPrefix(other, short(id)) {
				n++
			}
		}
		if n != 1 || !strings.HasPrefix(id, short(id)) {
			t.Errorf("%s is shortened to %s, with which %d begin", id, short(id), n)
		}
	}
}
