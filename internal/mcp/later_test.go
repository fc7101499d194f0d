package mcp

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A server of this program starts when servers are first needed, and a client's takes its place.
func TestLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &inMemory{servers: map[string]*sdk.Server{"github": testServer(), "other": testServer()}}
		h := &fakeHost{cwd: "/"}
		s := New(Options{Host: h, Transport: m.transport})
		asked := 0
		configure := func(context.Context) json.RawMessage { asked++; return json.RawMessage(`{"url":"https://x.test/mcp"}`) }
		s.Configure(Configuration{Servers: map[string]jsonText{"other": jsonText(`{"command":"x"}`)}})
		s.Later("github", configure)
		s.Later("other", configure)
		synctest.Wait()
		if asked != 0 || len(h.seen("session.mcp_servers_loaded")) != 1 {
			t.Errorf("before it is needed: configured %d times, and %v", asked, h.seen(""))
		}
		s.Await(t.Context())
		s.Await(t.Context())
		if status, why := entry(t, s, "github"); asked != 1 || status != wire.MCPConnected {
			t.Errorf("configured %d times, %s %s", asked, status, why)
		}
		if !s.Remove("github") || s.Remove("github") || s.Remove("other") || len(s.List().Servers) != 1 {
			t.Errorf("after it was removed: %+v", s.List().Servers)
		}
		s.Later("github", configure)
		if !s.Remove("github") {
			t.Error("it cannot be removed before it is started")
		}
		s.Later("wrong", func(context.Context) json.RawMessage { return nil })
		s.Await(t.Context())
		if status, _ := entry(t, s, "wrong"); status != wire.MCPFailed {
			t.Errorf("without a configuration it is %s", status)
		}
		s.Close()
		m.end()
	})
}
