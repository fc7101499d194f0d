package wire_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sdkSource returns the parsed files of the SDK's rpc package in the module
// cache, which a build always has.
func sdkSource(t *testing.T, file string) *ast.File {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/github/copilot-sdk/go/rpc").Output()
	if err != nil {
		t.Fatalf("go list of the SDK: %v", err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEveryEventTypeOfTheSDKIsDecidedOn(t *testing.T) {
	known := map[wire.EventType]bool{}
	ast.Inspect(sdkSource(t, "zsession_events.go"), func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, "SessionEventType") {
			return true
		}
		name, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		known[wire.EventType(name)] = true
		return true
	})
	if len(known) < 100 {
		t.Fatalf("found only %d event types in the SDK's source; the scan is broken", len(known))
	}
	for name := range known {
		if _, decided := wire.Kinds[name]; !decided {
			t.Errorf("the SDK knows %s, and Kinds does not have it: decide what this program does with it", name)
		}
	}
	for name := range wire.Kinds {
		if !known[name] {
			t.Errorf("Kinds has %s, which the SDK does not know", name)
		}
	}
}

func TestEventSurvivesTheSDK(t *testing.T) {
	h := wire.Header{
		ID: wire.NewID(), ParentID: wire.NewID(), Type: "assistant.message",
		Time: time.Date(2026, 11, 21, 3, 4, 5, 120_999_999, time.UTC),
	}
	body, err := wire.Marshal(&wire.AssistantMessage{
		MessageID: "m1", Content: "a < b && \u2028 \x00",
		ToolRequests: []wire.ToolRequest{{ToolCallID: "c1", Name: "t", Arguments: json.RawMessage(`{"z":1,"a":"<"}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	line := wire.AppendEvent(nil, &wire.Event{Header: h, Data: body})
	for _, want := range []string{`"arguments":{"z":1,"a":"<"}`, `"timestamp":"2026-11-21T03:04:05.120Z"`, `a < b && \u2028 \u0000`} {
		if !bytes.Contains(line, []byte(want)) {
			t.Errorf("event lacks %s:\n%s", want, line)
		}
	}
	var got rpc.SessionEvent
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("the SDK cannot read it: %v\n%s", err, line)
	}
	d, ok := got.Data.(*rpc.AssistantMessageData)
	if !ok || d.Content != "a < b && \u2028 \x00" || got.ID != h.ID || got.ParentID == nil || *got.ParentID != h.ParentID {
		t.Errorf("the SDK read %+v with data %+v", got, got.Data)
	}
	back, err := wire.ParseEvent(line)
	if err != nil {
		t.Fatal(err)
	}
	h.Time = h.Time.Truncate(time.Millisecond)
	if diff := cmp.Diff(h, back.Header); diff != "" {
		t.Errorf("ParseEvent(AppendEvent(h)) (-want +got):\n%s", diff)
	}
}

func TestFirstEventHasANullParent(t *testing.T) {
	line := wire.AppendEvent(nil, &wire.Event{Header: wire.Header{ID: "x", Type: "session.idle", Ephemeral: true}, Data: []byte("{}")})
	if want := `{"type":"session.idle","data":{},"id":"x","timestamp":"0001-01-01T00:00:00.000Z","parentId":null,"ephemeral":true}`; string(line) != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
}

func TestDeltaReadsLikeAnEvent(t *testing.T) {
	for _, tc := range []struct {
		delta wire.Delta
		want  rpc.SessionEventData
	}{
		{wire.NewDelta(wire.MessageDelta, "p", "m1", "héllo\n"), &rpc.AssistantMessageDeltaData{MessageID: "m1", DeltaContent: "héllo\n"}},
		{wire.NewDelta(wire.ReasoningDelta, "p", "r1", "hm"), &rpc.AssistantReasoningDeltaData{ReasoningID: "r1", DeltaContent: "hm"}},
		{wire.NewDelta(wire.ToolCallDelta, "p", "c1", `{"a`), &rpc.AssistantToolCallDeltaData{ToolCallID: "c1", InputDelta: `{"a`}},
		{wire.Delta{Header: wire.Header{Type: wire.StreamingDelta, Ephemeral: true}, Size: 42}, &rpc.AssistantStreamingDeltaData{TotalResponseSizeBytes: 42}},
	} {
		var got rpc.SessionEvent
		if err := json.Unmarshal(tc.delta.AppendJSON(nil), &got); err != nil {
			t.Fatalf("%s: %v", tc.delta.Type, err)
		}
		if diff := cmp.Diff(tc.want, got.Data); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.delta.Type, diff)
		}
		if got.Ephemeral == nil || !*got.Ephemeral {
			t.Errorf("%s is not marked ephemeral", tc.delta.Type)
		}
	}
}

func TestDeltasJoinOnlyWithinOneThing(t *testing.T) {
	a := wire.NewDelta(wire.MessageDelta, "p", "m1", "he")
	a.Stamp()
	id := a.ID
	b := wire.NewDelta(wire.MessageDelta, "p", "m1", "llo")
	if !a.Join(&b) || string(a.Text) != "hello" || a.ID != id {
		t.Errorf("joined to %q with id %s, want hello with %s", a.Text, a.ID, id)
	}
	for _, other := range []wire.Delta{
		wire.NewDelta(wire.MessageDelta, "p", "m2", "x"),
		wire.NewDelta(wire.ReasoningDelta, "p", "m1", "x"),
		wire.NewDelta(wire.MessageDelta, "p", "m1", strings.Repeat("x", 64<<10)),
	} {
		if a.Join(&other) {
			t.Errorf("%s of %s joined a %s of %s (%d bytes)", other.Type, other.Key, a.Type, a.Key, len(other.Text))
		}
	}
}

func TestMarshalWritesEmptyListsNotNull(t *testing.T) {
	type inner struct {
		List []string `json:"list"`
	}
	type outer struct {
		inner
		Need  []int             `json:"need"`
		Map   map[string]string `json:"map"`
		Opt   []int             `json:"opt,omitempty"`
		Ptr   *inner            `json:"ptr"`
		Deep  []inner           `json:"deep"`
		Raw   json.RawMessage   `json:"raw,omitempty"`
		Inner inner             `json:"inner"`
	}
	v := outer{Ptr: &inner{}, Deep: []inner{{}}}
	got, err := wire.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"list":[],"need":[],"map":{},"ptr":{"list":[]},"deep":[{"list":[]}],"inner":{"list":[]}}`; string(got) != want {
		t.Errorf("Marshal = %s\nwant      %s", got, want)
	}
	if v.Ptr.List != nil || v.Deep[0].List != nil {
		t.Error("Marshal changed its argument")
	}
}

func TestNewIDIsAUUIDv4(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := wire.NewID()
		u, err := uuid.Parse(id)
		if err != nil || u.Version() != 4 || u.Variant() != uuid.RFC4122 || seen[id] {
			t.Fatalf("NewID() = %q: %v, version %v, seen before: %v", id, err, u.Version(), seen[id])
		}
		seen[id] = true
	}
}

func TestParseEventRefusesWhatIsNone(t *testing.T) {
	for _, line := range []string{``, `null`, `[]`, `{}`, `{"type":""}`, `{"type":1}`} {
		if e, err := wire.ParseEvent([]byte(line)); err == nil {
			t.Errorf("ParseEvent(%s) = %+v, want an error", line, e)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\"\\/\n\r\t\x7f", "\u2028\u2029é😀", "\xff\xc3(\xed\xa0\x80", "a\xe2\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := wire.AppendString([]byte("x"), s)
		if got[0] != 'x' || !utf8.Valid(got) || bytes.ContainsAny(got, "\n\u2028\u2029") {
			t.Fatalf("AppendString(%q) = %q", s, got)
		}
		var back string
		if err := json.Unmarshal(got[1:], &back); err != nil {
			t.Fatalf("AppendString(%q) = %s: %v", s, got, err)
		}
		std, _ := json.Marshal(s)
		var want string
		if err := json.Unmarshal(std, &want); err != nil || back != want {
			t.Fatalf("AppendString(%q) reads back %q, encoding/json %q", s, back, want)
		}
	})
}

func FuzzFormatTime(f *testing.F) {
	f.Add(int64(0), int64(0))
	f.Add(int64(1795230245), int64(999_999_999))
	f.Fuzz(func(t *testing.T, sec, nsec int64) {
		at := time.Unix(sec%(1<<37), nsec)
		if got, want := wire.FormatTime(at), at.UTC().Format("2006-01-02T15:04:05.000Z"); got != want {
			t.Errorf("FormatTime = %s, want %s", got, want)
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	b.ReportAllocs()
	var buf []byte
	parent := wire.NewID()
	for b.Loop() {
		d := wire.NewDelta(wire.MessageDelta, parent, "0b1c7b6e-0000-4000-8000-000000000000", "some words of an answer ")
		d.Stamp()
		buf = d.AppendJSON(buf[:0])
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	b.ReportAllocs()
	var buf []byte
	h := wire.Header{ID: wire.NewID(), ParentID: wire.NewID(), Time: time.Now(), Type: "assistant.message"}
	for b.Loop() {
		body, err := wire.Marshal(&wire.AssistantMessage{MessageID: "m", Content: "an answer"})
		if err != nil {
			b.Fatal(err)
		}
		buf = wire.AppendEvent(buf[:0], &wire.Event{Header: h, Data: body})
	}
}

// The event before ours may come from another runtime, or from a damaged disk.
func TestAStrangeParentDoesNotBreakAnEvent(t *testing.T) {
	e := wire.Event{Header: wire.Header{ID: wire.NewID(), ParentID: "a\"b\\\n", Type: "session.info"}, Data: json.RawMessage("{}")}
	back, err := wire.ParseEvent(wire.AppendEvent(nil, &e))
	if err != nil || back.ParentID != e.ParentID || !json.Valid(wire.AppendEvent(nil, &e)) {
		t.Errorf("ParseEvent(AppendEvent(e)) = %+v, %v", back, err)
	}
}

// Nearly every message has an optional field that is absent, which must cost nothing.
func TestAFieldThatIsNotThereCostsNothing(t *testing.T) {
	var data wire.Data = &wire.AssistantMessage{Content: "hello", MessageID: "m"}
	if n := testing.AllocsPerRun(10, func() { data = wire.WithField(data, "none", nil) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// A field of a custom agent that the SDK sends and this package does not read would be
// dropped without a word.
func TestCustomAgentHasTheFieldsOfTheSDK(t *testing.T) {
	tags := func(v any) map[string]bool {
		names := map[string]bool{}
		for f := range reflect.TypeOf(v).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names[name] = true
		}
		return names
	}
	if diff := cmp.Diff(tags(copilot.CustomAgentConfig{}), tags(wire.CustomAgent{})); diff != "" {
		t.Errorf("fields (-SDK +wire):\n%s", diff)
	}
}
