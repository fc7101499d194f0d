package app_test

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// fakeAgent starts an agent that takes only what the script's home has signed, and
// points the script's environment to it.
func fakeAgent(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "fakeagent")
	keys := homeKeys(filepath.Join(ts.Getenv("SIDESTICK_HOME"), "extension-key.pem"))
	host := modeltest.NewHost(extension.NewHandler(flags, extension.HandlerOptions{Keys: keys}))
	worldOf(ts).agent = host
	url, err := host.Listen()
	ts.Check(err)
	ts.Setenv("AGENT", url)
	ts.Setenv("SIDESTICK_MODEL", "extension:"+url)
}

// homeKeys is the key of a home, which is made at the first call.
type homeKeys string

// Key implements [extension.KeySource].
func (path homeKeys) Key(ctx context.Context, id string) (*ecdsa.PublicKey, error) {
	pem, err := os.ReadFile(string(path))
	if err != nil {
		return nil, err
	}
	signer, err := extension.ParseSigner(pem)
	if err != nil {
		return nil, err
	}
	var published struct {
		Keys []struct {
			Key string `json:"key"`
		} `json:"public_keys"`
	}
	if err := json.Unmarshal(signer.PublicKeys(), &published); err != nil {
		return nil, err
	}
	fixed, err := extension.FixedKeys(published.Keys[0].Key)
	if err != nil {
		return nil, err
	}
	return fixed.Key(ctx, id)
}

// flags is an agent that turns feature flags off, once it may.
func flags(_ context.Context, r *extension.Request, w *extension.Writer) error {
	if d := r.Decision(); d != nil {
		if d.Accepted {
			return w.Text("The flag is off " + string(d.Data) + ".")
		}
		return w.Text("The flag stays on.")
	}
	switch prompt := r.Prompt(); {
	case strings.HasPrefix(prompt, "turn"):
		if err := w.Text("I can do that."); err != nil {
			return err
		}
		return w.Confirm(extension.Confirmation{
			Title:   "Turn off feature flag\x1b[31m",
			Message: "Are you sure you wish to turn off the `copilot` feature flag?\n\nEverybody who uses it will notice, and it takes some minutes until it is on again everywhere.",
			Data:    json.RawMessage(`{"id": "id-123", "n": 1.0}`),
		})
	case strings.HasPrefix(prompt, "tell"):
		if err := w.Text("A story."); err != nil {
			return err
		}
		return w.References(
			extension.Reference{Type: "blackbeard.story", ID: "1", Metadata: extension.Metadata{DisplayName: "Lines 1-13 from story.go\x1b]0;x\x07", DisplayURL: "https://blackbeard.test/story/1"}},
			extension.Reference{Type: "blackbeard.story", ID: "2", Metadata: extension.Metadata{DisplayName: "A map"}},
		)
	case strings.HasPrefix(prompt, "fail"):
		return w.Errors(extension.Fault{Type: extension.FaultFunction, Code: "recentchanges", Message: "The repository does not exist", Identifier: "github/hello-world"})
	}
	return w.Text(fmt.Sprintf("You said: %s (%d messages, %d references, token %q)",
		r.Prompt(), len(r.Messages), len(r.Find("blackbeard.story")), r.Token))
}
