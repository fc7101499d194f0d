package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
)

// The versions of the protocol. A server is asked for the newest one with a request that older ones do not
// know, and then gets the handshake of the one before, which agrees on all that are older.
const (
	protocolVersion = "2025-11-25"
	modernVersion   = "2026-07-28"
)

// spoken are the versions that this program speaks, the newest one first.
var spoken = [...]string{modernVersion, protocolVersion, "2025-06-18", "2025-03-26", "2024-11-05"}

// era is what is known of the protocol that a server speaks.
type era uint8

const (
	eraUnknown era = iota
	eraLegacy      // with a handshake, as up to 2025-11-25
	eraModern      // without, as from 2026-07-28
)

// Eras remembers which protocol servers speak, by their configurations, so that a program which does not
// know the newest one is not asked at each start. The zero value is ready. It is safe for concurrent use.
type Eras struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]era
}

// maxEras bounds the servers that are remembered.
const maxEras = 1000

// of returns what is known of a server.
func (e *Eras) of(c *config) era {
	if c.transport == transportSSE {
		return eraLegacy // which that transport belongs to
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[sha256.Sum256(c.text)]
}

// note remembers the protocol of a server. [eraUnknown] forgets it: the server is asked again.
func (e *Eras) note(c *config, is era) {
	key := sha256.Sum256(c.text)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case is == eraUnknown:
		delete(e.known, key)
	case e.known == nil:
		e.known = map[[sha256.Size]byte]era{key: is}
	case len(e.known) < maxEras:
		e.known[key] = is
	}
}

// How long a server may take to answer which versions it speaks. A program may be silent, as those are that ignore what
// they do not know; a web service answers everything.
const (
	programProbe = 3 * time.Second
	serviceProbe = 10 * time.Second
)

var errSilent = errors.New("it did not answer which versions of the protocol it speaks")

// negotiated is a layer of the SDK's client: it bounds the question for the version, and keeps the older
// handshake from a server that is a newer one, or that has said nothing of its version.
func (n *connection) negotiated(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
		switch method {
		case "server/discover":
			limit := serviceProbe
			switch {
			case n.era == eraModern:
				limit = StartTime // it will answer
			case n.remote == nil:
				limit = programProbe
			}
			ctx, p, end := newPatience(ctx, limit, errSilent)
			defer end()
			n.probe.Store(p)
			defer n.probe.Store(nil)
			res, err := next(ctx, method, q)
			n.probed = true
			n.verdict = n.final(err)
			return res, err
		case "initialize":
			if n.verdict != nil {
				return nil, n.verdict
			}
		}
		return next(ctx, method, q)
	}
}

// final returns an error after which the older handshake must not, or need not, be tried; nil if it has to be.
func (n *connection) final(err error) error {
	var refused *jsonrpc.Error
	var away *outage
	var lack *narrow
	switch {
	case err == nil:
		return nil
	case n.remote != nil && n.remote.refused.Load(), errors.As(err, &lack), errors.As(err, &away) && away.passes():
		return err // which says nothing of the version
	case !errors.As(err, &refused):
		return nil
	}
	switch refused.Code {
	case sdk.CodeHeaderMismatch, sdk.CodeMissingRequiredClientCapabilities:
		return explained(err)
	case sdk.CodeUnsupportedProtocolVersion:
		var data sdk.UnsupportedProtocolVersionData
		if json.Unmarshal(refused.Data, &data) == nil && len(data.Supported) > 0 && !slices.ContainsFunc(data.Supported, func(v string) bool { return slices.Contains(spoken[:], v) }) {
			return fmt.Errorf("it speaks the versions %s of the protocol, and this program %s and older ones", fault.Bounded(invisible.Show(strings.Join(data.Supported, ", "))), modernVersion)
		}
	}
	return nil
}

// explained says what a server refused, if that is a capability that this program does not have for it.
func explained(err error) error {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != sdk.CodeMissingRequiredClientCapabilities {
		return err
	}
	var data struct {
		Required map[string]json.RawMessage `json:"requiredCapabilities"`
	}
	_ = json.Unmarshal(refused.Data, &data) // without names if it cannot be read
	names := invisible.Show(strings.Join(slices.Sorted(maps.Keys(data.Required)), ", "))
	return fmt.Errorf("it wants capabilities that this session does not offer it (%s): %s", fault.Bounded(names), fault.Bounded(refused.Message))
}
