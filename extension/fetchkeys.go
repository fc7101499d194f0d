package extension

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// githubKeys is where GitHub publishes the keys of Copilot Extensions.
	githubKeys = "https://api.github.com/meta/public_keys/copilot_api"

	// keysLive is how long fetched keys are believed without asking again. The one key
	// known to have signed was used for half a year at least.
	keysLive = 24 * time.Hour

	// fetchPause is the shortest time between two fetches. Whoever sends made-up
	// identifiers causes no more than this; GitHub allows 60 in an hour.
	fetchPause = time.Minute

	// fetchTimeout bounds one fetch.
	fetchTimeout = 10 * time.Second

	// maxKeys bounds what is read of the endpoint's answer, in bytes. GitHub's has 400.
	maxKeys = 1 << 20
)

// FetchKeys returns a source of the keys that a platform publishes at a URL, "" for
// GitHub's. c does the asking, nil for one of its own; a token for a higher limit is
// for its Transport to add.
//
// Keys are fetched when the first is asked for and kept for 24 h. An identifier that
// is not among them has them fetched again, so that a new key is known as soon as it
// is used, but never more than once a minute. If a fetch fails the old keys stay
// good. However many ask at once, one fetch is under way; it takes 10 s at most, and
// goes on if the one who caused it leaves, so that he fails no other.
func FetchKeys(url string, c *http.Client) KeySource {
	if url == "" {
		url = githubKeys
	}
	if c == nil {
		c = &http.Client{}
	}
	return &fetchedKeys{url: url, client: c}
}

type fetchedKeys struct {
	url    string
	client *http.Client

	mu      sync.Mutex // guards the rest; not held during a fetch
	keys    map[string]*ecdsa.PublicKey
	etag    string        // of keys
	fetched time.Time     // when keys were last known to be those of the platform
	tried   time.Time     // when the last fetch began
	err     error         // of the last fetch
	flight  chan struct{} // closed when the fetch under way is over; nil: none is
}

// Key implements [KeySource].
func (k *fetchedKeys) Key(ctx context.Context, id string) (*ecdsa.PublicKey, error) {
	flight := k.prepare(ctx, id)
	if flight != nil {
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, &fault.Error{Op: "extension.Key", Kind: fault.KindOf(ctx.Err()), Err: ctx.Err()}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch key := k.keys[id]; {
	case key != nil:
		return key, nil
	case k.err != nil:
		return nil, k.err
	}
	return nil, ErrUnknownKey
}

// prepare returns the fetch to wait for, which it begins if it must; nil if what is
// known must do.
func (k *fetchedKeys) prepare(ctx context.Context, id string) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys[id] != nil && time.Since(k.fetched) < keysLive {
		return nil
	}
	if k.flight == nil {
		if !k.tried.IsZero() && time.Since(k.tried) < fetchPause {
			return nil
		}
		k.tried = time.Now()
		k.flight = make(chan struct{})
		go k.fetch(context.WithoutCancel(ctx), k.etag)
	}
	return k.flight
}

// fetch asks once and tells those who wait.
func (k *fetchedKeys) fetch(ctx context.Context, etag string) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	var keys map[string]*ecdsa.PublicKey
	err := fault.Guard("extension.Key", func() (err error) { // the transport may be anybody's
		keys, etag, err = k.ask(ctx, etag)
		return err
	})
	if err != nil && fault.KindOf(err) != fault.Unavailable { // a panic, which the handler logs and does not send
		err = k.failure("%w", err)
	}

	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = err; err == nil {
		k.fetched = time.Now()
		if keys != nil {
			k.keys, k.etag = keys, etag
		}
	}
	close(k.flight)
	k.flight = nil
}

// ask returns the keys of the endpoint, nil if they are those of etag.
func (k *fetchedKeys) ask(ctx context.Context, etag string) (map[string]*ecdsa.PublicKey, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, "", k.failure("%w", err)
	}
	req.Header.Set("Accept", "application/json")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, "", k.failure("%w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotModified && etag != "":
		return nil, "", nil
	case resp.StatusCode != http.StatusOK:
		return nil, "", k.failure("it answered %s", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxKeys+1))
	if err != nil {
		return nil, "", k.failure("%w", err)
	}
	keys, err := k.read(body)
	return keys, resp.Header.Get("ETag"), err
}

// read decodes the endpoint's answer. A key that is not one of ours, which GitHub may
// come to publish, is none; the others stay good.
func (k *fetchedKeys) read(body []byte) (map[string]*ecdsa.PublicKey, error) {
	var list struct {
		Keys []struct {
			ID  string `json:"key_identifier"`
			Key string `json:"key"`
		} `json:"public_keys"`
	}
	if len(body) > maxKeys {
		return nil, k.failure("its answer is longer than %d bytes", maxKeys)
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, k.failure("its answer is not the JSON of keys: %w", err)
	}
	keys := map[string]*ecdsa.PublicKey{}
	for _, entry := range list.Keys {
		if found, err := readKeys(entry.Key); err == nil {
			keys[entry.ID] = found[0].public
		}
	}
	if len(keys) == 0 {
		return nil, k.failure("none of its %d keys is of ECDSA with P-256", len(list.Keys))
	}
	return keys, nil
}

func (k *fetchedKeys) failure(format string, args ...any) error {
	return fault.New(fault.Unavailable, "extension.Key", k.url, "the platform's keys cannot be had: "+format, args...)
}
