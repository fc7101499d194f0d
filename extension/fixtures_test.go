package extension_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/extension"
)

// testdata/replies holds bodies as agents send them, byte for byte, and next to each the
// expected events (.want), one per line: the kind, and the data in the protocol's form. Text
// may arrive in several pieces. "warning" requires at least one warning, "?warning" allows
// some; without either there must be none. "refused" is an error.
func TestReplies(t *testing.T) {
	for name, body := range fixtures(t, "replies") {
		t.Run(name, func(t *testing.T) {
			whole := readReply(bytes.NewReader(body))
			wantReply(t, name).compare(t, whole)
			same := func(how string, r io.Reader) {
				if got := readReply(r); !reflect.DeepEqual(got, whole) {
					t.Fatalf("%s it is %+v, in one piece %+v", how, got, whole)
				}
			}
			for at := range body {
				same(fmt.Sprintf("cut at byte %d", at), io.MultiReader(bytes.NewReader(body[:at]), bytes.NewReader(body[at:])))
			}
			same("byte by byte", iotest.OneByteReader(bytes.NewReader(body)))
			same("with the end beside the last bytes", iotest.DataErrReader(bytes.NewReader(body)))
		})
	}
}

// fixtures returns the files of a folder that have a .want next to them, with their bytes.
func fixtures(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	wants, err := filepath.Glob(filepath.Join("testdata", folder, "*.want"))
	if err != nil || len(wants) == 0 {
		t.Fatalf("no fixtures in testdata/%s: %v", folder, err)
	}
	for _, w := range wants {
		others, err := filepath.Glob(strings.TrimSuffix(w, ".want") + ".*")
		others = slices.DeleteFunc(others, func(n string) bool { return n == w })
		if err != nil || len(others) != 1 {
			t.Fatalf("%s is for %q, want one file", w, others)
		}
		if found[others[0]], err = os.ReadFile(others[0]); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// wanted is a line of a .want file, split at its first space.
type wanted struct{ word, rest string }

func wants(t *testing.T, fixture string) []wanted {
	t.Helper()
	text, err := os.ReadFile(strings.TrimSuffix(fixture, filepath.Ext(fixture)) + ".want")
	if err != nil {
		t.Fatal(err)
	}
	var list []wanted
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if word != "" {
			list = append(list, wanted{word, rest})
		}
	}
	return list
}

// reply collects the events of a body, with the text of consecutive events joined.
type reply struct {
	events           []extension.Event
	warned, mayWarn  bool
	unclearFaultText string // a part of one of the faults' texts, instead of the faults
	refused          string // a part of the error; "" for none
}

func wantReply(t *testing.T, fixture string) reply {
	t.Helper()
	var want reply
	for _, w := range wants(t, fixture) {
		switch w.word {
		case "warning":
			want.warned, want.mayWarn = true, true
		case "?warning":
			want.mayWarn = true
		case "refused":
			want.refused = w.rest
		case "some":
			want.unclearFaultText = unquoted(t, strings.TrimPrefix(w.rest, "faults "))
		default:
			want.add(wantEvent(t, w))
		}
	}
	return want
}

func wantEvent(t *testing.T, w wanted) extension.Event {
	t.Helper()
	switch w.word {
	case "text":
		return extension.Event{Kind: extension.EventText, Text: unquoted(t, w.rest)}
	case "references":
		return extension.Event{Kind: extension.EventReferences, References: references(t, w.rest)}
	case "faults":
		var list []extension.Fault // its fields have the protocol's names, except for their case
		decode(t, w.rest, &list)
		return extension.Event{Kind: extension.EventFaults, Faults: list}
	case "confirmation":
		var c struct {
			Title, Message string
			Confirmation   json.RawMessage
		}
		decode(t, w.rest, &c)
		return extension.Event{
			Kind:         extension.EventConfirmation,
			Confirmation: &extension.Confirmation{Title: c.Title, Message: c.Message, Data: c.Confirmation},
		}
	}
	t.Fatalf("there is no event %q", w.word)
	return extension.Event{}
}

func references(t *testing.T, text string) []extension.Reference {
	t.Helper()
	var list []struct {
		Type, ID string
		Data     json.RawMessage
		Implicit bool `json:"is_implicit"`
		Metadata struct {
			Name string `json:"display_name"`
			Icon string `json:"display_icon"`
			URL  string `json:"display_url"`
		}
	}
	decode(t, text, &list)
	var refs []extension.Reference
	for _, r := range list {
		refs = append(refs, extension.Reference{
			Type: r.Type, ID: r.ID, Data: r.Data, Implicit: r.Implicit,
			Metadata: extension.Metadata{DisplayName: r.Metadata.Name, DisplayIcon: r.Metadata.Icon, DisplayURL: r.Metadata.URL},
		})
	}
	return refs
}

func decode(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func unquoted(t *testing.T, text string) (s string) {
	t.Helper()
	decode(t, text, &s)
	return s
}

// add adds an event; empty text is ignored.
func (r *reply) add(e extension.Event) {
	last := len(r.events) - 1
	switch {
	case e.Kind == extension.EventWarning:
		r.warned = true
	case e.Kind != extension.EventText || last < 0 || r.events[last].Kind != extension.EventText:
		if e.Kind != extension.EventText || e.Text != "" {
			r.events = append(r.events, e)
		}
	default:
		r.events[last].Text += e.Text
	}
}

func readReply(body io.Reader) (got reply) {
	for e, err := range extension.ReadReply(body) {
		if err != nil {
			got.refused = err.Error()
			return got
		}
		got.add(e)
	}
	return got
}

// compare checks that this reply has the wanted events.
func (r reply) compare(t *testing.T, got reply) {
	t.Helper()
	if (r.refused == "") != (got.refused == "") || !strings.Contains(got.refused, r.refused) {
		t.Fatalf("the error is %q, want %q", got.refused, r.refused)
	}
	if got.warned && !r.mayWarn || r.warned && !got.warned {
		t.Fatalf("warned is %v, want %v", got.warned, r.warned)
	}
	if r.unclearFaultText != "" {
		last := len(got.events) - 1
		if last < 0 || !strings.Contains(fmt.Sprint(got.events[last].Faults), r.unclearFaultText) {
			t.Fatalf("read %+v, want a fault with %q last", got.events, r.unclearFaultText)
		}
		got.events = got.events[:last]
	}
	if diff := cmp.Diff(r.events, got.events, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

// testdata/requests holds bodies as platforms send them, and next to each the expected
// decoded request, or "refused" and a part of the error. "rest" names one of many fields to
// compare.
func TestRequests(t *testing.T) {
	for name, body := range fixtures(t, "requests") {
		t.Run(name, func(t *testing.T) {
			want := wants(t, name)
			r, err := extension.ParseRequest(body)
			if err != nil {
				if want[0].word != "refused" || !strings.Contains(err.Error(), want[0].rest) {
					t.Error(err)
				}
				return
			}
			if diff := cmp.Diff(want, decoded(r, want), cmp.AllowUnexported(wanted{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			sameAgain(t, r)
		})
	}
}

// sameAgain writes the decoded request and checks that it is unchanged.
func sameAgain(t *testing.T, r *extension.Request) {
	t.Helper()
	sent, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := extension.ParseRequest(sent)
	if err != nil {
		t.Fatalf("%v, of what we sent: %s", err, sent)
	}
	if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("sent on (-before +after):\n%s", diff)
	}
}

// decoded returns a decoded request as lines of a .want file.
func decoded(r *extension.Request, want []wanted) []wanted {
	var list []wanted
	add := func(word, format string, args ...any) {
		list = append(list, wanted{word, fmt.Sprintf(format, args...)})
	}
	if r.ThreadID != "" {
		add("thread", "%s", r.ThreadID)
	}
	if r.Agent != "" {
		add("agent", "%s", r.Agent)
	}
	add("prompt", "%q", r.Prompt())
	if r.Login() != "" {
		add("login", "%s", r.Login())
	}
	add("messages", "%d", len(r.Messages))
	if slices.ContainsFunc(want, func(w wanted) bool { return w.word == "conversation" }) {
		add("conversation", "%d", len(r.Conversation()))
	}
	if d := r.Decision(); d != nil {
		add("decision", "%s", strings.TrimSpace(map[bool]string{true: "accepted", false: "dismissed"}[d.Accepted]+" "+compact(d.Data)))
	}
	for _, f := range r.Find("") {
		add("reference", "%s", strings.Join(strings.Fields(strings.Join(
			[]string{f.Type, f.ID, map[bool]string{true: "implicit"}[f.Implicit], compact(f.Data)}, " ")), " "))
	}
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			add("call", "%s %s %s", c.ID, c.Name, c.Arguments)
		}
		if m.ToolCallID != "" {
			add("answers", "%s", m.ToolCallID)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Rest)) {
		if slices.ContainsFunc(want, func(w wanted) bool { return w.word == "rest" && strings.HasPrefix(w.rest, key+" ") }) {
			add("rest", "%s %s", key, compact(r.Rest[key]))
		}
	}
	return list
}

// compact returns JSON without white space.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}
