package peers_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/e2e/built"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// nodeSDK is the folder in which the Node SDK is installed.
func nodeSDK(t *testing.T) string {
	t.Helper()
	const how = "npm i --omit=optional --ignore-scripts @github/copilot-sdk@1.0.15-preview.4"
	folder := os.Getenv("SIDESTICK_NODE_SDK")
	if folder == "" {
		t.Skip("SIDESTICK_NODE_SDK is not set: a folder with the SDK for Node, by " + how)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not on the PATH")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "@github", "copilot-sdk")); err != nil {
		t.Fatalf("SIDESTICK_NODE_SDK: %v (%s, there)", err, how)
	}
	return folder
}

// builtProgram builds the program of this checkout.
func builtProgram(t *testing.T) string {
	t.Helper()
	path, err := built.Program(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// typed is what testdata/typed.mjs reports.
type typed struct {
	Answers struct {
		Typed, Raw, Plain, Unfit, Steering outcome
		Both                               []outcome
	}
	Origins []origin
}

type outcome struct {
	Value json.RawMessage
	Error string
}

// origin is a message of the user, or one of the model with the message that it answers.
type origin struct {
	User, Assistant string
	Calls           int
}

// The SDK for Node asks for an answer of a form, with a schema of zod or a plain one, gets the value
// back, and finds the answer to its own message while another one waits.
func TestTheNodeSDKGetsTypedAnswers(t *testing.T) {
	sdk := nodeSDK(t)
	model := modeltest.NewServer(
		modeltest.Reply{When: modeltest.LastIs("How many?"), ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "look", Arguments: "{}"}}},
		modeltest.Reply{When: modeltest.LastIs("many"), Text: `{"n":42}`},
		modeltest.Reply{When: modeltest.LastIs("And in raw?"), Text: `{"n":43}`},
		modeltest.Reply{When: modeltest.LastIs("In words."), Text: "Forty-four."},
		modeltest.Reply{When: modeltest.LastIs("First."), Text: `{"n":1}`},
		modeltest.Reply{When: modeltest.LastIs("Second."), Text: `{"n":2}`},
		modeltest.Reply{When: modeltest.LastIs("Not a number."), Text: `{"n":"many"}`},
	)
	t.Cleanup(model.Close)
	got := runTyped(t, sdk, model.URL()+"/v1")

	a := got.Answers
	both := make([]string, 0, 2)
	for _, r := range a.Both {
		both = append(both, string(r.Value)+r.Error)
	}
	answers := []string{string(a.Typed.Value) + a.Typed.Error, string(a.Raw.Value) + a.Raw.Error, string(a.Plain.Value) + a.Plain.Error}
	if diff := cmp.Diff([]string{`{"n":42}`, `"{\"n\":43}"`, `"Forty-four."`, `{"n":1}`, `{"n":2}`}, append(answers, both...)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if a.Unfit.Error == "" || !strings.Contains(a.Steering.Error, "immediate") {
		t.Errorf("an answer that does not fit: %+v; a message that steers: %+v; want two errors", a.Unfit, a.Steering)
	}
	checkOrigins(t, got.Origins)
	checkFormats(t, model.Requests())
}

// runTyped runs testdata/typed.mjs.
func runTyped(t *testing.T, sdk, provider string) (got typed) {
	t.Helper()
	script, err := filepath.Abs("testdata/typed.mjs")
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(map[string]string{"binary": builtProgram(t), "home": t.TempDir(), "provider": provider})
	if err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SDK=" + sdk}
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("typed.mjs: %v\n%s", err, &complaints)
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("typed.mjs printed %s: %v", out, err)
	}
	return got
}

// checkOrigins checks that each message of the model names the message of the user before it.
func checkOrigins(t *testing.T, origins []origin) {
	t.Helper()
	user, calls := "", 0
	for _, o := range origins {
		switch {
		case o.User != "":
			user = o.User
		case o.Assistant != user:
			t.Errorf("an answer to %s names %q", user, o.Assistant)
		}
		calls += o.Calls
	}
	if len(origins) != 13 || calls != 1 { // six messages, and one call more
		t.Errorf("%d messages with %d calls, want 13 with 1: %+v", len(origins), calls, origins)
	}
}

// checkFormats checks that the provider got the schema in the requests of the messages that want a
// form, and only in those.
func checkFormats(t *testing.T, requests []modeltest.Request) {
	t.Helper()
	for _, r := range requests {
		var body struct {
			Format struct {
				Type   string
				Schema struct {
					Schema struct{ Properties map[string]any } `json:"schema"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal(r.Raw, &body); err != nil {
			t.Fatal(err)
		}
		want := !strings.Contains(r.Last().Content, "In words.")
		if has := body.Format.Type == "json_schema" && body.Format.Schema.Schema.Properties["n"] != nil; has != want {
			t.Errorf("the request after %q has the format %+v", r.Last().Content, body.Format)
		}
	}
}
