package web

import (
	"crypto/sha256"
	"strconv"
	"testing"
)

// keep adds a run that has ended with an answer of that size.
func (k *keyedRuns) keep(t *testing.T, name string, size int) {
	t.Helper()
	key := hash(sha256.Sum256([]byte(name)))
	if _, err := k.run(key, key, func(func(*chatRun, bool)) *chatRun { return &chatRun{} }); err != nil {
		t.Fatal(err)
	}
	k.end(k.byKey[key], size, true)
}

func TestKeptAnswersAreBounded(t *testing.T) {
	var many keyedRuns
	for i := range maxKeptRuns + 10 {
		many.keep(t, strconv.Itoa(i), 1)
	}
	if len(many.byKey) != maxKeptRuns || len(many.ended) != maxKeptRuns || many.bytes != maxKeptRuns {
		t.Errorf("%d answers with %d bytes are kept, want %d", len(many.byKey), many.bytes, maxKeptRuns)
	}
	var large keyedRuns
	for i := range 5 {
		large.keep(t, strconv.Itoa(i), maxKeptBytes/4)
	}
	if len(large.byKey) != 4 || large.bytes != maxKeptBytes {
		t.Errorf("%d answers with %d bytes are kept, want 4", len(large.byKey), large.bytes)
	}
}
