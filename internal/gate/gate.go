// Package gate decides which home a caller may use. A home is a set of sessions with what belongs to them: keys,
// settings, grants. Each door of a server, such as the port for SDKs, has a gate, which it asks when a caller authenticates;
// the [Entrance] holds as long as the caller stays, over HTTP for one request. Begin with [One]: a gate to one home.
package gate

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Principal is the user or the program on whose behalf a caller acts.
type Principal struct {
	// Name is unique among the principals of a gate; "" if the gate has one principal only.
	Name string
}

// Entrance is what a caller may use. H is a home as a door sees it.
type Entrance[H any] struct {
	Principal Principal
	Home      H
}

// Gate admits callers. It is safe for concurrent use.
type Gate[H any] interface {
	// Closed reports whether a caller has to authenticate before it may do anything else. It never changes.
	Closed() bool
	// Admit returns what the caller with a credential may use. The error is [fault.Denied] if the credential is
	// wrong or missing; any other error says nothing about the credential. A gate that is not closed admits every
	// caller, whatever its credential.
	Admit(ctx context.Context, credential string) (Entrance[H], error)
}

// One returns the gate of a process with one home and one principal. The credential is the token; if the token is "", the gate
// is not closed.
func One[H any](token string, home H) Gate[H] { return one[H]{token, home} }

type one[H any] struct {
	token string
	home  H
}

func (o one[H]) Closed() bool { return o.token != "" }

func (o one[H]) Admit(_ context.Context, credential string) (e Entrance[H], err error) {
	// Digests, so that the duration reveals neither the token nor its length.
	got, want := sha256.Sum256([]byte(credential)), sha256.Sum256([]byte(o.token))
	if o.Closed() && subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		return e, fault.New(fault.Denied, "gate", "", "the connection token is wrong or missing")
	}
	return Entrance[H]{Home: o.home}, nil
}
