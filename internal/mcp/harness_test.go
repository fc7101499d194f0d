package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

type jsonText = json.RawMessage

// fakeHost stands for a session.
type fakeHost struct {
	cwd   string
	meta  map[string]any
	asker Asker

	mu     sync.Mutex
	events []string
	warned []string

	secrets []string // with what replaces them; set before a server starts
}

func (h *fakeHost) Cwd() string { return h.cwd }

func (h *fakeHost) Folders(context.Context) ([]string, error) {
	return []string{h.cwd, "/more folders"}, nil
}

func (h *fakeHost) Notify(d wire.Data) {
	text, _ := wire.Marshal(d)
	h.note(string(d.Type()) + " " + string(text))
}

func (h *fakeHost) note(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, text)
}

// seen returns the events that begin with a word.
func (h *fakeHost) seen(prefix string) (found []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if strings.HasPrefix(e, prefix) {
			found = append(found, e)
		}
	}
	return found
}

func (h *fakeHost) Warn(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.warned = append(h.warned, text)
}

func (h *fakeHost) Conceal(_ string, headers map[string]string) {
	for _, secret := range headers {
		h.secrets = append(h.secrets, secret, "***")
	}
}

func (h *fakeHost) Redact(text string) string { return strings.NewReplacer(h.secrets...).Replace(text) }

func (h *fakeHost) Progress(c tool.Call, message string) { h.note("progress " + c.ID + " " + message) }

func (h *fakeHost) Meta(context.Context, tool.Call, string, string, map[string]any) map[string]any {
	return h.meta
}

func (h *fakeHost) Sandbox(context.Context, *OfProject) (*sandbox.Boxes, *sandbox.Policy, error) {
	return nil, nil, nil
}

func (h *fakeHost) Asker() Asker { return h.asker }

// older has a server speak no version of the protocol in which servers send no requests.
var older = &sdk.ServerOptions{SupportedProtocolVersions: []string{protocolVersion}}

// testServer is a server with one tool for each sort of result.
func testServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, older)
	type none struct{}
	add := func(name string, run func(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "The tool " + name + "."}, func(ctx context.Context, q *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
			res, err := run(ctx, q)
			return res, nil, err
		})
	}
	text := func(text string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: text}} }
	add("echo_meta", func(_ context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		meta := map[string]any{}
		for name, value := range q.Params.Meta {
			if name != "progressToken" {
				meta[name] = value
			}
		}
		shown, err := json.Marshal(meta)
		return &sdk.CallToolResult{Content: text(string(shown))}, err
	})
	add("mixed", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "first"},
			&sdk.ImageContent{Data: []byte("a picture"), MIMEType: "image/png"},
			&sdk.ResourceLink{URI: "file:///a", Name: "a"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://b", MIMEType: "text/plain", Text: "of a resource"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://c", MIMEType: "application/zip", Blob: []byte("zip")}},
			&sdk.AudioContent{Data: []byte("beep"), MIMEType: "audio/wav"},
		}}, nil
	})
	add("structured", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: map[string]any{"n": 1}}, nil
	})
	add("fails", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, errors.New("no such table")
	})
	add("progress", func(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := 1; i <= 3; i++ {
			_ = q.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: q.Params.GetProgressToken(), Progress: float64(i), Total: 3})
			time.Sleep(progressPause) // in a bubble of synctest
		}
		return &sdk.CallToolResult{Content: text("done")}, nil
	})
	add("hangs", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		time.Sleep(20 * time.Minute) // whether it is canceled or not
		return &sdk.CallToolResult{Content: text("late")}, nil
	})
	add("asks", func(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		a, err := q.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"which": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: text(a.Action + " " + fmt.Sprint(a.Content["which"]))}, nil
	})
	addForApps(s)
	return s
}

// addForApps adds a tool that only apps may call, and a resource.
func addForApps(s *sdk.Server) {
	s.AddTool(&sdk.Tool{Name: "app_only", InputSchema: json.RawMessage(`{"type":"object"}`), Meta: sdk.Meta{"ui": map[string]any{"resourceUri": "ui://x", "visibility": []any{"app"}}}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "for the app"}}}, nil
		})
	s.AddResource(&sdk.Resource{URI: "test://one", Name: "one", MIMEType: "text/plain"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://one", MIMEType: "text/plain", Text: "1"}}}, nil
	})
}

// inMemory are servers in this process, by name.
type inMemory struct {
	mu      sync.Mutex
	servers map[string]*sdk.Server
	running sync.WaitGroup
	ends    []context.CancelFunc
}

// transport connects to a server. One that does not exist never answers.
func (m *inMemory) transport(name string) sdk.Transport {
	near, far := sdk.NewInMemoryTransports()
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.servers[name]
	ctx, cancel := context.WithCancel(context.Background())
	m.ends = append(m.ends, cancel)
	if s == nil {
		m.running.Go(func() { swallow(ctx, far) })
		return near
	}
	m.running.Go(func() { _ = s.Run(ctx, far) })
	return near
}

// swallow reads what a server is sent, and never answers.
func swallow(ctx context.Context, far sdk.Transport) {
	c, err := far.Connect(ctx)
	for err == nil {
		_, err = c.Read(ctx)
	}
	_ = c.Close()
}

// end ends the servers, as a crash does.
func (m *inMemory) end() {
	m.mu.Lock()
	for _, end := range m.ends {
		end()
	}
	m.mu.Unlock()
	m.running.Wait()
}
