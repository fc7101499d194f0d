package mcp

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// bubble runs a test with servers in memory, and ends them.
func bubble(t *testing.T, names []string, test func(t *testing.T, h *fakeHost, m *inMemory, s *Set)) {
	synctest.Test(t, func(t *testing.T) {
		h, m := &fakeHost{cwd: "/"}, &inMemory{servers: map[string]*sdk.Server{}}
		c := Configuration{Servers: map[string]jsonText{}}
		for _, name := range names {
			if name != "stalled" {
				m.servers[name] = testServer()
			}
			c.Servers[name] = jsonText(`{"command":"x"}`)
		}
		s := New(Options{Host: h, Transport: m.transport})
		s.Configure(c)
		test(t, h, m, s)
		s.Close()
		m.end()
	})
}

// called is the tool of that name for models.
func called(t *testing.T, s *Set, name string) tool.Tool {
	t.Helper()
	for _, known := range s.Tools() {
		if known.Definition().Name == name {
			return known
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// states are the servers with their states.
func states(s *Set) map[string]string {
	all := map[string]string{}
	for _, v := range s.List().Servers {
		all[v.Name] = string(v.Status)
	}
	return all
}

// entry is one server as it is listed.
func entry(t *testing.T, s *Set, name string) (status wire.MCPServerStatus, why string) {
	t.Helper()
	for _, v := range s.List().Servers {
		if v.Name == name {
			if v.Error != nil {
				why = *v.Error
			}
			return v.Status, why
		}
	}
	t.Fatalf("%s is not listed", name)
	return "", ""
}

func TestServersConnectAndOfferTools(t *testing.T) {
	bubble(t, []string{"b", "a"}, func(t *testing.T, h *fakeHost, _ *inMemory, s *Set) {
		s.Await(t.Context())
		if diff := cmp.Diff(map[string]string{"a": "connected", "b": "connected"}, states(s)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		tools := s.Tools()
		if len(tools) != 14 || tools[0].Definition().Name != "a-asks" || tools[7].Definition().Name != "b-asks" {
			t.Errorf("%d tools, the first is %+v", len(tools), tools[0].Definition())
		}
		d := called(t, s, "a-echo_meta").Definition()
		if d.Server != "a" || d.ServerTool != "echo_meta" || d.Origin != tool.MCP || !strings.Contains(string(d.Parameters), `"object"`) {
			t.Errorf("the definition is %+v", d)
		}
		loaded := h.seen("session.mcp_servers_loaded")
		if len(loaded) != 1 || !strings.Contains(loaded[0], `{"name":"a","status":"connected","transport":"stdio"}`) {
			t.Errorf("loaded: %q", loaded)
		}
		if got := len(h.seen("session.mcp_server_status_changed")); got != 4 {
			t.Errorf("%d changes of a state, want pending and connected for each", got)
		}
	})
}

// A server that never answers delays nobody for long, and then fails.
func TestAStalledServerDelaysNobody(t *testing.T) {
	bubble(t, []string{"good", "stalled"}, func(t *testing.T, h *fakeHost, _ *inMemory, s *Set) {
		begin := time.Now()
		s.Await(t.Context())
		if took := time.Since(begin); took != AwaitTime || len(s.Tools()) == 0 {
			t.Errorf("a run waited %v, and has %d tools", took, len(s.Tools()))
		}
		s.Await(t.Context()) // the next turn
		if took := time.Since(begin); took != AwaitTime {
			t.Errorf("the second turn waited, too: %v", took-AwaitTime)
		}
		time.Sleep(StartTime)
		synctest.Wait()
		if diff := cmp.Diff(map[string]string{"good": "connected", "stalled": "failed"}, states(s)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if failed := s.List().Servers[1]; !strings.Contains(*failed.Error, "within 1m0s") {
			t.Errorf("the error is %q", *failed.Error)
		}
		if loaded := h.seen("session.mcp_servers_loaded"); len(loaded) != 1 {
			t.Errorf("loaded: %q", loaded)
		}
	})
}

func TestARunNeedNotWaitForAServer(t *testing.T) {
	bubble(t, []string{"stalled"}, func(t *testing.T, _ *fakeHost, _ *inMemory, s *Set) {
		begin := time.Now()
		time.AfterFunc(time.Second, func() {
			if !s.Background() || s.Background() {
				t.Error("the first call moves the server, and the second none")
			}
		})
		s.Await(t.Context())
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it waited %v", took)
		}
	})
}

func TestAServerThatEndsFails(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, m *inMemory, s *Set) {
		s.Await(t.Context())
		m.end()
		synctest.Wait()
		if diff := cmp.Diff(map[string]string{"s": "failed"}, states(s)); diff != "" || len(s.Tools()) != 7 {
			t.Errorf("%d tools, states (-want +got):\n%s", len(s.Tools()), diff)
		}
		if err := s.Start("s", nil, false); err != nil {
			t.Fatal(err)
		}
		if err := s.Settled(t.Context(), "s"); err != nil {
			t.Errorf("it was started again: %v", err)
		}
	})
}

func TestAListThatChanges(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, m *inMemory, s *Set) {
		s.Await(t.Context())
		changed := s.Changed()
		for range 100 { // a server may say so as often as it likes
			m.servers["s"].RemoveTools("echo_meta")
			sdk.AddTool(m.servers["s"], &sdk.Tool{Name: "fresh"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
				return nil, nil, nil
			})
		}
		<-changed
		time.Sleep(10 * time.Second)
		synctest.Wait()
		called(t, s, "s-fresh")
		for _, known := range s.Tools() {
			if known.Definition().ServerTool == "echo_meta" {
				t.Error("the tool that was removed is offered")
			}
		}
		if n := len(h.seen("mcp.tools.list_changed")); n < 1 || n > 3 {
			t.Errorf("%d events", n)
		}
	})
}

func TestServersAreControlled(t *testing.T) {
	bubble(t, []string{"a", "b"}, func(t *testing.T, h *fakeHost, _ *inMemory, s *Set) {
		s.Await(t.Context())
		ctx := t.Context()
		if err := s.Stop(ctx, "a"); err != nil || s.Running("a") || !s.Running("b") {
			t.Errorf("stop: %v, %v", err, states(s))
		}
		if err := s.Disable(ctx, "b"); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(map[string]string{"a": "stopped", "b": "disabled"}, states(s)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		s.Reload()
		synctest.Wait()
		if diff := cmp.Diff(map[string]string{"a": "stopped", "b": "disabled"}, states(s)); diff != "" {
			t.Errorf("after a reload (-want +got):\n%s", diff)
		}
		if err := s.Enable("b"); err != nil || s.Settled(ctx, "b") != nil {
			t.Errorf("enable: %v, %v", err, states(s))
		}
		first := s.servers["b"].connection
		if err := s.Start("b", nil, true); err != nil || s.Settled(ctx, "b") != nil || s.servers["b"].connection == first {
			t.Errorf("restart: %v, %v", err, states(s))
		}
		if err := s.Start("c", jsonText(`{"command":"x","timeout":1000}`), false); err != nil {
			t.Error(err)
		}
		if err := s.Settled(ctx, "c"); err == nil || !strings.Contains(err.Error(), "failed") {
			t.Errorf("a server that stalls: %v", err)
		}
		for what, err := range map[string]error{"stop": s.Stop(ctx, "none"), "enable": s.Enable("none"), "start": s.Start("none", nil, false)} {
			if err == nil || !strings.Contains(err.Error(), "is not configured") {
				t.Errorf("%s of a server that is not configured: %v", what, err)
			}
		}
		if _, err := s.Listed(ctx, "none"); err == nil || !strings.Contains(err.Error(), "not connected") {
			t.Errorf("its tools: %v", err)
		}
	})
}

func TestConfigurations(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *fakeHost, m *inMemory, s *Set) {
		m.servers["one"] = testServer()
		s.Configure(Configuration{
			Servers: map[string]jsonText{
				"one": jsonText(`{"type":"local","command":"x","tools":["mixed","fails"],"excludeTools":["fails"],"oidc":"id","envFile":".env"}`),
				"off": jsonText(`{"command":"x"}`), "wrong": jsonText(`{"type":"carrier-pigeon"}`), "empty": jsonText(`{}`), "far": jsonText(`{"url":"ftp://x"}`),
			},
			Disabled: []string{"off"}, Warn: h.Warn,
		})
		s.Await(t.Context())
		want := map[string]string{"one": "connected", "off": "disabled", "wrong": "failed", "empty": "failed", "far": "failed"}
		if diff := cmp.Diff(want, states(s)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if tools := s.Tools(); len(tools) != 1 || tools[0].Definition().Name != "one-mixed" {
			t.Errorf("tools: %v", tools)
		}
		first := s.servers["one"].connection
		s.Configure(Configuration{Servers: map[string]jsonText{"one": jsonText(`{"type":"local","command":"x","tools":["mixed","fails"], "excludeTools":["fails"],"oidc":"id","envFile":".env"}`)}, Warn: h.Warn})
		s.Await(t.Context())
		if s.servers["one"].connection != first {
			t.Error("the same configuration has started the server again")
		}
		s.Configure(Configuration{Servers: map[string]jsonText{"one": jsonText(`{"command":"y"}`)}})
		s.Await(t.Context())
		if s.servers["one"].connection == first || len(s.Tools()) != 7 {
			t.Error("another configuration has not")
		}
	})
}

func TestEnvironmentByReference(t *testing.T) {
	s := New(Options{Host: &fakeHost{}, Environ: []string{"A=1", "KEY=secret"}})
	s.SetIndirect(true)
	c := config{env: map[string]string{"TOKEN": "KEY"}}
	if err := s.resolve(&c); err != nil || c.env["TOKEN"] != "secret" {
		t.Errorf("%v, %v", c.env, err)
	}
	c = config{env: map[string]string{"TOKEN": "NONE"}}
	if err := s.resolve(&c); err == nil || !strings.Contains(err.Error(), "NONE") {
		t.Errorf("a variable that is not set: %v", err)
	}
}

func TestResourcesAndApps(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, _ *inMemory, s *Set) {
		s.Await(t.Context())
		ctx := t.Context()
		list, err := s.Resources(ctx, "s", "")
		if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "test://one" {
			t.Errorf("%+v, %v", list, err)
		}
		read, err := s.Read(ctx, "s", "test://one")
		if err != nil || len(read.Contents) != 1 || *read.Contents[0].Text != "1" {
			t.Errorf("%+v, %v", read, err)
		}
		if _, err := s.Read(ctx, "s", "ui://none"); err == nil || !strings.Contains(strings.ToLower(err.Error()), "not found") {
			t.Errorf("a resource that does not exist: %v", err)
		}
		if templates, err := s.Templates(ctx, "s", ""); err != nil || len(templates.ResourceTemplates) != 0 {
			t.Errorf("%+v, %v", templates, err)
		}
		if d := s.Diagnose("s"); !d.Connected || d.ToolCount != 8 || d.ToolsWithUIMeta != 1 {
			t.Errorf("%+v", d)
		}
		tools, err := s.AppTools("s")
		if err != nil || len(tools) != 8 {
			t.Errorf("%d tools, %v", len(tools), err)
		}
		if _, err := s.CallForApp(ctx, "s", "none", nil); err == nil {
			t.Error("a tool that does not exist was called")
		}
		if res, err := s.CallForApp(ctx, "s", "app_only", nil); err != nil || len(res) == 0 {
			t.Errorf("%v, %v", res, err)
		}
		if e := h.seen("mcp_app.tool_call_complete"); len(e) != 1 || !strings.Contains(e[0], `"success":true`) || !strings.Contains(e[0], `"resourceUri":"ui://x"`) {
			t.Errorf("events: %q", e)
		}
		listed, err := s.Listed(ctx, "s")
		if err != nil || len(listed.Tools) != 8 {
			t.Errorf("%+v, %v", listed, err)
		}
	})
}

func TestNames(t *testing.T) {
	for _, tc := range []struct{ server, tool, want string }{
		{"env-echo", "get_env", "env-echo-get_env"},
		{"io.github/x", "a.b c", "io_github_x-a_b_c"},
		{"s", strings.Repeat("x", 80), "s-" + strings.Repeat("x", 53) + "_"},
	} {
		got := wireName(tc.server, tc.tool)
		if !strings.HasPrefix(got, tc.want) || len(got) > maxName {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
	if wireName("s", strings.Repeat("x", 80)) == wireName("s", strings.Repeat("x", 81)) {
		t.Error("two long names are one")
	}
}

// No server can hide a tool of another one, or take its calls, by the names that it chooses.
func TestToolsOfOneNameAreToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := &fakeHost{cwd: "/"}, &inMemory{servers: map[string]*sdk.Server{}}
		c := Configuration{Servers: map[string]jsonText{}}
		taken := withDigest("a-b-c", "a-b\x00c\x000") // what the tool c of a-b would be called
		for server, tools := range map[string][]string{"a": {"b-c", "x.y", "x_y", "plain", strings.TrimPrefix(taken, "a-")}, "a-b": {"c"}} {
			m.servers[server] = sdk.NewServer(&sdk.Implementation{Name: server, Version: "1"}, nil)
			c.Servers[server] = jsonText(`{"command":"x"}`)
			for _, name := range tools {
				m.servers[server].AddTool(&sdk.Tool{Name: name, InputSchema: jsonText(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: server + " " + name}}}, nil
				})
			}
		}
		s := New(Options{Host: h, Transport: m.transport})
		s.Configure(c)
		s.Await(t.Context())
		names, origins := map[string]string{}, map[string]string{}
		for _, one := range s.Tools() {
			d := one.Definition()
			names[d.Name], origins[d.Server+" "+d.ServerTool] = d.Server+" "+d.ServerTool, d.Name
			if got := one.Run(t.Context(), tool.Call{ID: "1", Name: d.Name, Arguments: jsonText(`{}`)}); !strings.Contains(got.Text, d.Server+" "+d.ServerTool) {
				t.Errorf("%s was answered by %q", d.Name, got.Text)
			}
		}
		if len(names) != 6 || len(origins) != 6 {
			t.Errorf("the model is offered %q, want six tools with six names", origins)
		}
		if origins["a plain"] != "a-plain" || names["a-b-c"] != "" || names[taken] != "a "+strings.TrimPrefix(taken, "a-") {
			t.Errorf("names: %q", names)
		}
		s.Close()
		m.end()
	})
}

// A configuration that is wrong is reported once, and with the reason.
func TestAWrongConfigurationIsReportedOnce(t *testing.T) {
	h := &fakeHost{cwd: "/"}
	s := New(Options{Host: h})
	defer s.Close()
	s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"cmd":"x"}`)}})
	want := []string{`session.mcp_server_status_changed {"error":"the configuration has no command","serverName":"s","status":"failed"}`}
	if diff := cmp.Diff(want, h.seen("session.mcp_server_status_changed")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
