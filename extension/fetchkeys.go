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
	// githubKeys is the URL at which GitHub publishes the keys of Copilot Extensions.
	githubKeys = "https://api.github.com/meta/public_keys/copilot_api"

	// keysLive is how long fetched keys are used before they are checked again. The one
	// known signing key was in use for at least half a year.
	keysLive = 24 * time.Hour

	// fetchPause is the shortest time between two fetches, so that requests with invented
	// key ids cannot cause more. GitHub allows 60 fetches per hour.
	fetchPause = time.Minute

	// fetchTimeout bounds one fetch.
	fetchTimeout = 10 * time.Second

	// maxKeys bounds the endpoint's response, in bytes. GitHub's has about 400.
	maxKeys = 1 << 20
)

// FetchKeys returns the keys that a platform publishes at url, "" for GitHub's. c sends the
// requests; nil means a client of its own. To send a token for a higher rate limit, add it
// in the Transport of c.
//
// Keys are fetched on the first use and kept for 24 hours. If an identifier is not among
// them, they are fetched again, but never more than once a minute, so that a new key is
// accepted from its first use. If a fetch fails, the old keys stay valid. Concurrent callers
// share one fetch. It takes 10 s at most, and continues even if the caller that started it
// gives up, so that the others get a result.
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
	fetched time.Time     // when the platform last confirmed keys
	tried   time.Time     // when the last fetch began
	err     error         // of the last fetch
	flight  chan struct{} // closed when the running fetch ends; nil if none is running
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

// prepare returns a channel that is closed when the needed fetch ends, and starts that fetch
// if it is not running. It returns nil if the known keys must be used.
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

// fetch asks the endpoint once and wakes the waiting callers.
func (k *fetchedKeys) fetch(ctx context.Context, etag string) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	var keys map[string]*ecdsa.PublicKey
	err := fault.Guard("extension.Key", func() (err error) { // the transport may be the caller's
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

// ask returns the keys of the endpoint, nil if they have not changed since etag.
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

// read decodes the endpoint's response. Keys of an unknown type are skipped.
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
		return nil, k.failure("its answer is not the JSON of keys: %w", fault.JSON(err))
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
