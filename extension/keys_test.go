package extension_test

import (
	"context"
	"crypto/elliptic"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestFixedKeys(t *testing.T) {
	key, second, long := newKey(t), newKey(t), newKeyOf(t, elliptic.P384())
	lines := strings.Split(strings.TrimSpace(key.pem), "\n")
	for name, text := range map[string]string{
		"as it is":             key.pem,
		"without its last end": strings.TrimSpace(key.pem),
		"CRLF":                 strings.ReplaceAll(key.pem, "\n", "\r\n"),
		"literal line ends":    strings.ReplaceAll(key.pem, "\n", `\n`),
		"literal CRLF":         strings.ReplaceAll(key.pem, "\n", `\r\n`),
		"one line":             strings.Join(lines, " "),
		"one line, no spaces":  strings.Join(lines, ""),
		"one of two":           second.pem + "\nand\n" + key.pem,
		"in quotes":            `"` + strings.ReplaceAll(key.pem, "\n", `\n`) + `"`,
	} {
		source, err := extension.FixedKeys(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := source.Key(t.Context(), key.id); err != nil || !got.Equal(&key.private.PublicKey) {
			t.Errorf("%s: Key = %v, %v", name, got, err)
		}
		if _, err := source.Key(t.Context(), "x"); !errors.Is(err, extension.ErrUnknownKey) {
			t.Errorf("%s: of an unknown id Key gives %v", name, err)
		}
	}
	for text, want := range map[string]string{
		"": "there is no key in PEM", "hello": "there is no key in PEM", lines[0] + "\n" + lines[1]: "there is no key in PEM",
		lines[0] + "%%%" + lines[3]:                   "is not base64",
		lines[0] + "aGVsbG8=" + lines[3]:              "cannot be read",
		key.pem + lines[0] + lines[3]:                 "cannot be read",
		long.pem:                                      "not of ECDSA with P-256",
		"-----BEGIN EC PRIVATE KEY-----\n" + lines[1]: "the platform's public one",
	} {
		if _, err := extension.FixedKeys(key.pem, text); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "text 2 of 2") {
			t.Errorf("FixedKeys(%q) = %v, want an invalid with %q", text, err, want)
		}
	}
	if _, err := extension.FixedKeys(); fault.KindOf(err) != fault.Invalid {
		t.Errorf("of no text FixedKeys gives %v", err)
	}
}

// endpoint fakes a keys endpoint without a network. It is safe for concurrent use.
type endpoint struct {
	mu      sync.Mutex
	keys    []platformKey
	etag    string
	fails   bool          // responds with 500
	same    bool          // responds with 304 to every request
	slow    time.Duration // delay before the response
	asked   int           // number of requests
	matched int           // of these, how many had the current ETag
	body    string        // sent instead of keys
}

func (e *endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	e.mu.Lock()
	slow := e.slow
	e.asked++
	e.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	w := &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{"Etag": {e.etag}}, Body: http.NoBody, Request: r}
	switch {
	case e.fails:
		w.StatusCode, w.Status = 500, "500 Oh no"
		return w, nil
	case e.same:
		w.StatusCode, w.Status = 304, "304 Not Modified"
		return w, nil
	case e.etag != "" && r.Header.Get("If-None-Match") == e.etag:
		e.matched++
		w.StatusCode = http.StatusNotModified
		return w, nil
	}
	body := e.body
	if body == "" {
		type entry struct {
			ID  string `json:"key_identifier"`
			Key string `json:"key"`
		}
		list := []entry{}
		for _, k := range e.keys {
			list = append(list, entry{k.id, k.pem})
		}
		encoded, _ := json.Marshal(map[string]any{"public_keys": list})
		body = string(encoded)
	}
	w.Body = io.NopCloser(strings.NewReader(body))
	return w, nil
}

func (e *endpoint) set(change func(*endpoint)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(e)
}

// expect asks for a key and checks the result and the number of requests to the endpoint.
func expect(t *testing.T, e *endpoint, s extension.KeySource, id, want string, asked int) {
	t.Helper()
	key, err := s.Key(t.Context(), id)
	got := "a key"
	switch {
	case errors.Is(err, extension.ErrUnknownKey):
		got = "unknown"
	case err != nil:
		got = fault.KindOf(err).String()
	case key == nil:
		got = "nothing"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if got != want || e.asked != asked {
		t.Errorf("Key = %s (%v) after %d fetches, want %s after %d", got, err, e.asked, want, asked)
	}
}

// One day of a platform's keys.
func TestKeysAreKeptAndRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, next := newKey(t), newKey(t)
		e := &endpoint{keys: []platformKey{old}, etag: `"1"`}
		s := extension.FetchKeys("", &http.Client{Transport: e})
		expect(t, e, s, old.id, "a key", 1)
		time.Sleep(24*time.Hour - time.Second)
		expect(t, e, s, old.id, "a key", 1)
		time.Sleep(time.Second)
		expect(t, e, s, old.id, "a key", 2) // asks whether they have changed
		if e.matched != 1 {
			t.Errorf("the ETag matched %d times, want once", e.matched)
		}

		e.set(func(e *endpoint) { e.keys, e.etag = append(e.keys, next), `"2"` })
		expect(t, e, s, next.id, "unknown", 2) // the last request was less than a minute ago
		time.Sleep(time.Minute)
		expect(t, e, s, next.id, "a key", 3)
		expect(t, e, s, old.id, "a key", 3)
		expect(t, e, s, "made up", "unknown", 3)
		expect(t, e, s, "made up too", "unknown", 3)
		time.Sleep(time.Minute)
		expect(t, e, s, "made up", "unknown", 4)

		e.set(func(e *endpoint) { e.fails = true })
		time.Sleep(24 * time.Hour)
		expect(t, e, s, old.id, "a key", 5) // an old key is better than none
		expect(t, e, s, "made up", "unavailable", 5)
		time.Sleep(time.Minute)
		expect(t, e, s, old.id, "a key", 6)

		e.set(func(e *endpoint) { e.fails, e.keys, e.etag = false, []platformKey{next}, "" })
		time.Sleep(time.Minute)
		expect(t, e, s, next.id, "a key", 7)
		expect(t, e, s, old.id, "unknown", 7) // no longer published
	})
}

func TestAnEndpointThatIsDown(t *testing.T) {
	key, long := newKey(t), newKeyOf(t, elliptic.P384())
	for _, tc := range []struct {
		name string
		set  func(*endpoint)
		want string // part of the error
	}{
		{"status", func(e *endpoint) { e.fails = true }, "it answered 500 Oh no"},
		{"304 to who has no keys", func(e *endpoint) { e.same = true }, "it answered 304 Not Modified"},
		{"silence", func(e *endpoint) { e.slow = time.Hour }, "deadline exceeded"},
		{"HTML", func(e *endpoint) { e.body = "<html>" }, "is not the JSON of keys"},
		{"no keys", func(e *endpoint) { e.body = "{}" }, "none of its 0 keys"},
		{"other keys", func(e *endpoint) { e.keys = []platformKey{long} }, "none of its 1 keys"},
		{"too many", func(e *endpoint) { e.body = strings.Repeat(" ", 1<<20+1) }, "longer than 1048576 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{keys: []platformKey{key}}
				e.set(tc.set)
				s := extension.FetchKeys("http://keys.test/", &http.Client{Transport: e})
				for range 2 { // the second does not ask the endpoint
					_, err := s.Key(t.Context(), key.id)
					if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), tc.want) {
						t.Errorf("Key = %v, want an unavailable with %q", err, tc.want)
					}
				}
				if e.asked != 1 {
					t.Errorf("it was asked %d times", e.asked)
				}
				e.set(func(e *endpoint) {
					e.keys, e.fails, e.same, e.slow, e.body, e.asked = []platformKey{long, key}, false, false, 0, "", 0
				})
				time.Sleep(time.Minute)
				expect(t, e, s, key.id, "a key", 1)
			})
		})
	}
}

// A caller that cancels cancels no other caller, and many callers share one request.
func TestOneFetchForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := newKey(t)
		e := &endpoint{keys: []platformKey{key}, slow: 5 * time.Second}
		s := extension.FetchKeys("", &http.Client{Transport: e})
		first, leave := context.WithCancel(t.Context())
		errs := make(chan error, 11)
		go func() {
			_, err := s.Key(first, key.id)
			errs <- err
		}()
		synctest.Wait()
		leave()
		if err := <-errs; fault.KindOf(err) != fault.Canceled {
			t.Errorf("who left has %v", err)
		}
		for range 10 {
			go func() {
				_, err := s.Key(t.Context(), key.id)
				errs <- err
			}()
		}
		for range 10 {
			if err := <-errs; err != nil {
				t.Errorf("who stayed has %v", err)
			}
		}
		if e.asked != 1 {
			t.Errorf("the endpoint was asked %d times", e.asked)
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		time.Sleep(time.Minute)
		if _, err := s.Key(soon, "other"); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("whose time is over has %v", err)
		}
		time.Sleep(time.Minute)
	})
}

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnEndpointThatNeverEnds(t *testing.T) {
	body := &endless{}
	s := extension.FetchKeys("", &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(io.LimitReader(body, 100<<20)), Request: r}, nil
	})})
	if _, err := s.Key(t.Context(), "x"); fault.KindOf(err) != fault.Unavailable || body.read > 2<<20 {
		t.Errorf("Key = %v after %d bytes", err, body.read)
	}
}

// A transport is the caller's code. If it panics, the fetch fails, and the next fetch tries
// again.
func TestATransportThatPanics(t *testing.T) {
	s := extension.FetchKeys("", &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { panic("boom") })})
	if _, err := s.Key(t.Context(), "x"); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "boom") {
		t.Errorf("Key = %v", err)
	}
}

func TestABadURL(t *testing.T) {
	_, err := extension.FetchKeys("http://[", nil).Key(t.Context(), "x")
	if fault.KindOf(err) != fault.Unavailable {
		t.Error(fmt.Errorf("Key = %w", err))
	}
}
