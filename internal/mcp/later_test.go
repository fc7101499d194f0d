package mcp

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
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

// A server of this program is disabled by either of its names, and methods find it by either; the client's
// own server of one of the names takes its place.
func TestEitherNameOfGitHubsServer(t *testing.T) {
	for _, name := range []string{"github", "github-mcp-server"} {
		synctest.Test(t, func(t *testing.T) {
			m := &inMemory{servers: map[string]*sdk.Server{"github-mcp-server": testServer(), name: testServer()}}
			s := New(Options{Host: &fakeHost{cwd: "/"}, Transport: m.transport})
			asked := 0
			configure := func(context.Context) json.RawMessage { asked++; return json.RawMessage(`{"url":"https://x.test/mcp"}`) }
			s.Configure(Configuration{Disabled: []string{name}})
			s.Later("github-mcp-server", configure)
			s.Await(t.Context())
			if status, _ := entry(t, s, "github-mcp-server"); asked != 0 || status != wire.MCPDisabled {
				t.Errorf("disabled as %s: configured %d times, %s", name, asked, status)
			}
			if err := s.Enable(name); err != nil {
				t.Fatal(err)
			}
			if err := s.Settled(t.Context(), name); err != nil || asked != 1 || !s.Running(name) {
				t.Errorf("enabled as %s: configured %d times, %v", name, asked, err)
			}
			if list, err := s.Listed(t.Context(), name); err != nil || len(list.Tools) == 0 {
				t.Errorf("its tools by the name %s: %v, %v", name, list, err)
			}
			if q, _ := s.Tools()[0].(tool.Asker).Request(t.Context(), tool.Call{}); !q.OwnServer {
				t.Error("its tools are not those of our own server")
			}
			if err := s.Disable(t.Context(), name); err != nil || s.Running("github-mcp-server") {
				t.Errorf("disabled again as %s: %v", name, err)
			}
			s.Configure(Configuration{Disabled: []string{}, Servers: map[string]jsonText{name: jsonText(`{"command":"x"}`)}})
			s.Await(t.Context())
			s.Later("github-mcp-server", configure)
			s.Await(t.Context())
			if q, _ := s.Tools()[0].(tool.Asker).Request(t.Context(), tool.Call{}); q.OwnServer {
				t.Errorf("the tools of the client's own %s are those of our server", name)
			}
			if list := s.List().Servers; asked != 1 || len(list) != 1 || list[0].Name != name || list[0].Status != wire.MCPConnected {
				t.Errorf("with the client's own %s: configured %d times, %+v", name, asked, list)
			}
			s.Close()
			m.end()
		})
	}
}
