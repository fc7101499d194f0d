package extension_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
)

// The examples are called without signatures; tryOut prints the answer's events without
// the chunks around the text.
func tryOut(h http.Handler, body string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://localhost/", strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:4000" // that of httptest is on another machine
	h.ServeHTTP(w, r)
	for line := range strings.Lines(w.Body.String()) {
		line, isData := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		switch _ = json.Unmarshal([]byte(line), &chunk); {
		case len(chunk.Choices) > 0:
			fmt.Print(chunk.Choices[0].Delta.Content)
		case isData || w.Code != http.StatusOK:
			fmt.Println(line)
		}
	}
}

// This is a whole agent.
func ExampleNewHandler() {
	h := extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		_, err := fmt.Fprintf(w, "Ahoy! You said: %s\n", r.Prompt())
		return err
	}, extension.HandlerOptions{Unsigned: true}) // on the internet: set Keys instead
	// http.ListenAndServe("127.0.0.1:8080", h)

	tryOut(h, `{"agent": "blackbeard", "messages": [{"role": "user", "content": "@blackbeard hello"}]}`)
	// Output:
	// Ahoy! You said: hello
	// [DONE]
}

// This agent acts only after the user has accepted. It keeps nothing between the two
// requests: the data that it needs comes back with the decision.
func ExampleWriter_Confirm() {
	h := extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		d := r.Decision()
		switch {
		case d == nil:
			return w.Confirm(extension.Confirmation{
				Title:   "Turn off feature flag",
				Message: "Are you sure you wish to turn off the `copilot` feature flag?",
				Data:    json.RawMessage(`{"id":"id-123","flag":"copilot"}`),
			})
		case !d.Accepted:
			return w.Text("It stays on.\n")
		}
		var which struct{ Flag string }
		if err := json.Unmarshal(d.Data, &which); err != nil {
			return err
		}
		return w.Text("Turned off " + which.Flag + ".\n")
	}, extension.HandlerOptions{Unsigned: true})

	tryOut(h, `{"messages": [{"role": "user", "content": "turn copilot off"}]}`)
	tryOut(h, `{"messages": [{"role": "user", "content": "", "copilot_confirmations": [
		{"state": "accepted", "confirmation": {"id":"id-123","flag":"copilot"}}]}]}`)
	// Output:
	// {"type":"action","title":"Turn off feature flag","message":"Are you sure you wish to turn off the `copilot` feature flag?","confirmation":{"id":"id-123","flag":"copilot"}}
	// [DONE]
	// Turned off copilot.
	// [DONE]
}

// This agent sends the sources of its answer, and reports a failure.
func ExampleWriter_References() {
	h := extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		for _, file := range r.Find("client.file") {
			if err := w.Text("I have read " + file.ID + ".\n"); err != nil {
				return err
			}
			file.Metadata.DisplayName = file.ID
			if err := w.References(file); err != nil {
				return err
			}
		}
		return w.Errors(extension.Fault{
			Type: extension.FaultFunction, Code: "recentchanges", Message: "The repository does not exist", Identifier: "github/hello-world",
		})
	}, extension.HandlerOptions{Unsigned: true})

	tryOut(h, `{"messages": [{"role": "user", "content": "explain", "copilot_references": [
		{"type": "client.file", "id": "story.go", "data": {"language": "go"}, "is_implicit": true}]}]}`)
	// Output:
	// I have read story.go.
	// [{"type":"client.file","id":"story.go","data":{"language": "go"},"is_implicit":true,"metadata":{"display_name":"story.go"}}]
	// [{"type":"function","code":"recentchanges","message":"The repository does not exist","identifier":"github/hello-world"}]
	// [DONE]
}

// A platform signs requests with its own key, and the agent knows that key.
func ExampleFixedKeys() {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		panic(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	keys, err := extension.FixedKeys(string(text))
	if err != nil {
		panic(err)
	}

	body := []byte(`{"messages":[{"role":"user","content":"hello"}]}`)
	digest, id := sha256.Sum256(body), sha256.Sum256(text)
	signature, err := ecdsa.SignASN1(rand.Reader, private, digest[:])
	if err != nil {
		panic(err)
	}
	h := http.Header{}
	h.Set("X-GitHub-Public-Key-Identifier", hex.EncodeToString(id[:]))
	h.Set("X-GitHub-Public-Key-Signature", base64.StdEncoding.EncodeToString(signature))

	fmt.Println(extension.Verify(context.Background(), keys, h, body))
	fmt.Println(extension.Verify(context.Background(), keys, h, append(body, ' ')))
	// Output:
	// <nil>
	// extension.Verify: the signature does not fit the body
}

// This is a skill: the model on the platform calls it and reads the result.
func ExampleNewSkillHandler() {
	h := extension.NewSkillHandler(func(_ context.Context, args json.RawMessage, _ http.Header) (string, error) {
		var colour struct {
			Hex string `json:"hex_color"`
		}
		if err := json.Unmarshal(args, &colour); err != nil || len(colour.Hex) != len("#RRGGBB") {
			return "", fmt.Errorf("hex_color is %q: call again with a colour as #RRGGBB", colour.Hex)
		}
		return "the opposite of " + colour.Hex + " is on the other side of the wheel", nil
	}, extension.HandlerOptions{Unsigned: true})

	for _, args := range []string{`{"hex_color":"#00FF00"}`, `{}`} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://localhost/colour", strings.NewReader(args))
		r.RemoteAddr = "127.0.0.1:4000" // that of httptest is on another machine
		h.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 the opposite of #00FF00 is on the other side of the wheel
	// 500 hex_color is "": call again with a colour as #RRGGBB
}
