package model

import (
	"context"
	"net/http"
)

// Place says which conversation a call belongs to and where it works, for recordings of calls. It
// is never sent.
type Place struct {
	// Session and Agent are the ids of the session and, in the call of a sub-agent, of that.
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// Cwd is the working directory of the session, Folder where its files are, Home the home of
	// Sidestick. All are absolute.
	Cwd    string `json:"cwd,omitempty"`
	Folder string `json:"folder,omitempty"`
	Home   string `json:"home,omitempty"`
}

// Scene is the call that a request over HTTP belongs to.
type Scene struct {
	Endpoint *Endpoint
	Request  *Request // nil: the request is for a list of models
}

type sceneKey struct{}

// SceneOf returns the call that a request with this context belongs to, nil for other requests.
func SceneOf(ctx context.Context) *Scene {
	s, _ := ctx.Value(sceneKey{}).(*Scene)
	return s
}

// WithScene returns a context for the requests of a call.
func WithScene(ctx context.Context, ep *Endpoint, r *Request) context.Context {
	return context.WithValue(ctx, sceneKey{}, &Scene{ep, r})
}

// Refusal is the error of a transport that did not send a request, and would not send it at
// another attempt either. The text is for the user.
type Refusal struct{ Text string }

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// Recorded reports whether [Options.Around] is set, so that every transport has to go through
// [Client.Around].
func (c *Client) Recorded() bool { return c.around != nil }

// Around puts [Options.Around] around a transport.
func (c *Client) Around(t http.RoundTripper) http.RoundTripper {
	if c.around == nil {
		return t
	}
	return c.around(t)
}
