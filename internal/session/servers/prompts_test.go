package servers

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// withLibrary runs a test with a session whose server "lib" has a prompt "plain", which it lists after a time in nanoseconds. The server "none" cannot
// be connected to.
func withLibrary(t *testing.T, listing *atomic.Int64, test func(t *testing.T, f *fake, m *Servers)) {
	synctest.Test(t, func(t *testing.T) {
		library := sdk.NewServer(&sdk.Implementation{Name: "lib", Version: "1"}, nil)
		library.AddPrompt(&sdk.Prompt{Name: "plain"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Plainly."}}}}, nil
		})
		library.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
				if method == "prompts/list" {
					time.Sleep(time.Duration(listing.Load()))
				}
				return next(ctx, method, q)
			}
		})
		var running sync.WaitGroup
		ctx, end := context.WithCancel(t.Context())
		transport := func(name string) sdk.Transport {
			if name != "lib" {
				return nil
			}
			near, far := sdk.NewInMemoryTransports()
			running.Go(func() { _ = library.Run(ctx, far) })
			return near
		}
		f := &fake{}
		m := New(f, "s1", &Home{Options: func() mcp.Options { return mcp.Options{Transport: transport} }})
		set := m.make()
		set.Configure(mcp.Configuration{Servers: map[string]json.RawMessage{"lib": json.RawMessage(`{"command":"x"}`), "none": json.RawMessage(`{"command":""}`)}})
		if err := set.Settled(t.Context(), "lib"); err != nil {
			t.Fatal(err)
		}
		test(t, f, m)
		set.Close()
		end()
		running.Wait()
	})
}

// What the user means for a prompt is not sent to the model as it was typed.
func TestACommandOfAServerThatDoesNotAnswerFails(t *testing.T) {
	var slow atomic.Int64
	slow.Store(int64(time.Minute / 2))
	withLibrary(t, &slow, func(t *testing.T, f *fake, m *Servers) {
		for range 2 { // the second time from what is known
			_, ok, err := m.ServerPrompt(t.Context(), "MCP__lib__plain", "")
			if !ok || fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "lib: it did not list its prompts in time") {
				t.Errorf("ServerPrompt = %v, %v", ok, err)
			}
		}
		if texts := strings.Join(f.texts(), "\n"); !strings.Contains(texts, "its prompts cannot be listed, so they are no slash commands: it did not list its prompts in time") {
			t.Errorf("the session was told: %q", texts)
		}
		if _, ok, err := m.ServerPrompt(t.Context(), "mcp__none__plain", ""); !ok || fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "not connected (failed: ") {
			t.Errorf("of a server that has failed: %v, %v", ok, err)
		}
		slow.Store(0)
		time.Sleep(promptsPause)
		if p, ok, err := m.ServerPrompt(t.Context(), "mcp__lib__plain", ""); !ok || err != nil || p.Prompt != "Plainly." {
			t.Errorf("after the pause: %+v, %v, %v", p, ok, err)
		}
		for _, name := range []string{"mcp__lib__other", "mcp__elsewhere__plain"} {
			if _, ok, err := m.ServerPrompt(t.Context(), name, ""); ok || err != nil {
				t.Errorf("%s = %v, %v, want no command", name, ok, err)
			}
		}
	})
}

// Somebody who does not wait for a server does not keep its prompts from others.
func TestACanceledListOfPromptsIsNotKept(t *testing.T) {
	var slow atomic.Int64
	slow.Store(int64(time.Second))
	withLibrary(t, &slow, func(t *testing.T, f *fake, m *Servers) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second/2, cancel)
		if _, ok, err := m.ServerPrompt(ctx, "mcp__lib__plain", ""); !ok || !errors.Is(err, fault.Canceled) {
			t.Errorf("ServerPrompt = %v, %v", ok, err)
		}
		if list := m.ServerPrompts(t.Context()); len(list) != 1 || list[0].Name != "mcp__lib__plain" {
			t.Errorf("the commands are %v, warned of %q", list, f.texts())
		}
		for _, e := range f.Sent() {
			if e.Type == (&wire.SessionWarning{}).Type() && strings.Contains(string(e.Data), "prompts") {
				t.Errorf("warned: %s", e.Data)
			}
		}
	})
}
