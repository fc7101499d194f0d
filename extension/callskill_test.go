package extension_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestCallSkill(t *testing.T) {
	signer := newSigner(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !verifies(t, signer.PublicKeys(), r.Header.Get("GitHub-Public-Key-Identifier"), r.Header.Get("X-GitHub-Public-Key-Signature"), body) || r.Header.Get("X-GitHub-Token") != "tok" {
			t.Errorf("the request has %v", r.Header)
		}
		var args map[string]string
		if err := json.Unmarshal(body, &args); err != nil {
			t.Errorf("the arguments are %s", body)
		}
		if args["fail"] != "" {
			w.WriteHeader(500)
		}
		answer(w, args["say"]+args["fail"])
	})
	c := extension.NewClient(extension.ClientOptions{Signer: signer, MaxBody: 100})
	for _, tc := range []struct {
		name, args, want, why string
		kind                  fault.Kind
	}{
		{name: "text", args: `{"say":"<b> & b"}`, want: "<b> & b"},
		{name: "JSON", args: `{"say":"{\"a\":1}"}`, want: `{"a":1}`},
		{name: "nothing", args: ``, want: ""},
		{name: "events", args: `{"say":"event: x\ndata: a\n\ndata:b\r\n\r\n: c\ndata: [DONE]\n\n"}`, want: "a\nb"},
		{name: "what only looks like events", args: `{"say":"data: 5\nunit: m"}`, want: "data: 5\nunit: m"},
		{name: "no data", args: `{"say":"event: 5"}`, want: "event: 5"},
		{name: "a failure", args: `{"fail":"no\u0007"}`, why: `the agent answered 500 Internal Server Error: no\a`, kind: fault.Unavailable},
		{name: "too much", args: `{"say":"` + strings.Repeat("x", 101) + `"}`, why: "the answer is longer than 100 bytes", kind: fault.Invalid},
		{name: "arguments that are none", args: `[1]`, why: "the arguments are not a JSON object", kind: fault.Invalid},
	} {
		got, err := c.CallSkill(t.Context(), s.URL, raw(tc.args), "tok")
		switch {
		case tc.why == "" && (err != nil || got != tc.want):
			t.Errorf("%s: %q, %v, want %q", tc.name, got, err, tc.want)
		case tc.why != "" && (err == nil || fault.Message(err) != tc.why || fault.KindOf(err) != tc.kind):
			t.Errorf("%s: %v, want %s", tc.name, err, tc.why)
		}
	}
}
