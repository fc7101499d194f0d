package mcp

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"

	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
)

// credentials are what a web service gets besides the configured headers: a token, and headers of
// a client. They outlive a connection, and belong to one address. They are safe for concurrent use.
type credentials struct {
	address string // that of the server

	mu      sync.Mutex // guards the rest
	scheme  string     // of the token, such as Bearer
	access  string     // the token; "": there is none
	stored  bool       // the token is in the store of tokens
	dynamic map[string]string
	asked   time.Time     // when a client was asked for the headers; zero: never
	version int           // changes with the token and the headers
	busy    chan struct{} // closed when the one renewal that is running has ended; nil: none is
	last    *challenge    // the last one; nil: there was none
	// alone says that the server has refused a request, and no client could be asked.
	alone bool
}

// sent is what one request takes along.
type sent struct {
	authorization string
	headers       map[string]string
	access        string
	version       int
}

// now returns what the next request takes along.
func (c *credentials) now() sent {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := sent{headers: c.dynamic, access: c.access, version: c.version}
	if c.access != "" {
		s.authorization = c.scheme + " " + c.access
	}
	return s
}

// take sets the token; with an empty scheme, it is a bearer token.
func (c *credentials) take(scheme, access string, stored bool) {
	if !schemes.Get().MatchString(scheme) {
		scheme = "Bearer"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scheme, c.access, c.stored, c.alone = scheme, access, stored, false
	c.version++
}

var schemes = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,30}$`) }}

// load takes the stored token, if there is none yet.
func (c *credentials) load(tokens *oauth.Tokens) error {
	c.mu.Lock()
	has := c.access != ""
	c.mu.Unlock()
	if has {
		return nil
	}
	token, err := tokens.Get(c.address)
	if err == nil && token.Access != "" {
		c.take("", token.Access, true)
	}
	return err
}

// claim begins a renewal of what a request with a version took along. It reports false if another
// one has renewed it, and waits for one that is running. ok is false if that one has failed.
func (c *credentials) claim(ctx context.Context, version int) (mine, ok bool) {
	waited := false
	for {
		c.mu.Lock()
		busy := c.busy
		switch {
		case c.version != version:
			c.mu.Unlock()
			return false, true
		case waited && busy == nil:
			c.mu.Unlock()
			return false, false
		case busy == nil:
			c.busy = make(chan struct{})
			c.mu.Unlock()
			return true, false
		}
		c.mu.Unlock()
		waited = true
		select {
		case <-busy:
		case <-ctx.Done():
			return false, false
		}
	}
}

// release ends a renewal.
func (c *credentials) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.busy)
	c.busy = nil
}

// refused notes the challenge to a request that took a token along. It says nothing of a token that was taken since.
func (c *credentials) refused(last *challenge, access string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last.access = access; access == c.access {
		c.last = last
	}
}

// open returns the last challenge if the token is still the one that was refused with it; nil otherwise.
func (c *credentials) open() *challenge {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || c.last.access != c.access {
		return nil
	}
	return c.last
}

// unanswered notes whether no client could be asked.
func (c *credentials) unanswered(alone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alone = alone
}

// retry reports whether the server has refused a request, and no client could be asked.
func (c *credentials) retry() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alone
}

// stale reports why clients have to be asked for headers, with the time for which headers are kept;
// "" if they have not.
func (c *credentials) stale(ttl time.Duration) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case ttl <= 0:
		return ""
	case c.asked.IsZero():
		return headersStartup
	case time.Since(c.asked) >= ttl:
		return headersExpired
	}
	return ""
}

// setHeaders sets the headers of a client. Those that the protocol needs are left out, and those that
// cannot be sent.
func (c *credentials) setHeaders(headers map[string]string) {
	kept := map[string]string{}
	for name, value := range headers {
		name = http.CanonicalHeaderKey(name)
		if len(kept) < maxHeaders && !ownHeaders.Get()[name] && headerNames.Get().MatchString(name) && len(value) <= maxHeader && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			kept[name] = value
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dynamic, c.asked = kept, time.Now()
	c.version++
}

// noHeaders notes that clients were asked for headers and have none; those that are there stay.
func (c *credentials) noHeaders() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = time.Now()
}

const (
	maxHeaders = 100
	maxHeader  = 32 << 10 // bytes
)

var headerNames = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$") }}

// ownHeaders are the headers that this program sets itself.
var ownHeaders = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{
		"Accept": true, "Accept-Encoding": true, "Connection": true, "Content-Length": true, "Content-Type": true, "Host": true, "Last-Event-Id": true,
		"Mcp-Method": true, "Mcp-Name": true, "Mcp-Protocol-Version": true, "Mcp-Session-Id": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
	}
}}
