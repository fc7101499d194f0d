package web

import (
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

// The header by which a client says that two requests are one.
// Source: IETF draft-ietf-httpapi-idempotency-key-header.
const keyHeader = "Idempotency-Key"

// Bounds of the memory for requests with a key.
const (
	maxKey       = 255              // bytes of a key
	keptTime     = time.Hour        // an answer after its run; clients retry within minutes
	maxKeptRuns  = 1000             // answers
	maxKeptBytes = 32 << 20         // of all answers
	retryWait    = 30 * time.Second // a run without a follower; OpenAI's clients retry after at most 8 s
)

var errKeyReused = refused("idempotency_key_reused", "This "+keyHeader+" was sent before with another body. Send a new key with a new request.")

// keyedRuns are the runs of requests that carry an Idempotency-Key, under way or ended.
// The same key from the same caller leads to the same run. A run that failed before a
// tool acted is forgotten, so that a retry is a new attempt. The zero value is ready.
type keyedRuns struct {
	mu    sync.Mutex // guards the rest
	byKey map[hash]*keyedRun
	ended []*keyedRun // the oldest first
	bytes int         // of ended
}

type hash [sha256.Size]byte

// keyedRun is a run and the request that it belongs to.
type keyedRun struct {
	*chatRun
	key, body hash
	at        time.Time // when it ended
	size      int       // since then
}

// callerKey identifies a request's key among all callers: two tokens with the same key
// are two keys. ok is false without a key.
func callerKey(r *http.Request) (key hash, ok bool, err error) {
	values := r.Header.Values(keyHeader)
	if len(values) == 0 {
		return hash{}, false, nil
	}
	if len(values) > 1 || values[0] == "" || len(values[0]) > maxKey {
		return hash{}, false, invalid("send one %s header with 1 to %d bytes, or none", keyHeader, maxKey)
	}
	h := sha256.New()
	writeFields(h, r.Header.Get("Authorization"), values[0])
	return hash(h.Sum(nil)), true, nil
}

// run returns the run of a key, which start starts if there is none. start gets what to
// call when the run has ended.
func (k *keyedRuns) run(key, body hash, start func(ended func(r *chatRun, keep bool)) *chatRun) (*chatRun, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire(time.Now())
	if have := k.byKey[key]; have != nil {
		if have.body != body {
			return nil, errKeyReused
		}
		return have.chatRun, nil
	}
	if k.byKey == nil {
		k.byKey = map[hash]*keyedRun{}
	}
	entry := &keyedRun{key: key, body: body}
	k.byKey[key] = entry
	entry.chatRun = start(func(r *chatRun, keep bool) { k.end(entry, r.size(), keep) })
	return entry.chatRun, nil
}

// end keeps the answer of a run, or forgets the run.
func (k *keyedRuns) end(entry *keyedRun, size int, keep bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !keep {
		delete(k.byKey, entry.key)
		return
	}
	entry.at, entry.size = time.Now(), size
	k.ended = append(k.ended, entry)
	k.bytes += size
	k.expire(entry.at)
}

// expire forgets the answers that are too old, and the oldest of too many. The caller
// holds the mutex.
func (k *keyedRuns) expire(now time.Time) {
	for len(k.ended) > 0 {
		oldest := k.ended[0]
		if now.Sub(oldest.at) < keptTime && len(k.ended) <= maxKeptRuns && k.bytes <= maxKeptBytes {
			return
		}
		k.ended[0] = nil
		k.ended = k.ended[1:]
		k.bytes -= oldest.size
		delete(k.byKey, oldest.key)
	}
}
