package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/spans"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// spanLine is what the tests read of a span.
type spanLine struct {
	Type, Name, TraceID, SpanID, ParentSpanID string
	Attributes                                map[string]any
	Status                                    struct{ Code int }
	InstrumentationScope                      struct{ Name string }
}

func readSpans(t *testing.T, disk *vfs.Mem) (list []spanLine) {
	t.Helper()
	data, err := disk.ReadFile("/spans/spans.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var s spanLine
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, s)
	}
	return list
}

// A run is a span with one child for each call of the model. The next run is a trace of its
// own, and what was said before is part of its input.
func TestRunsAreSpans(t *testing.T) {
	disk := vfs.NewMem()
	file := spans.New(spans.Options{Path: "/spans/spans.jsonl", FS: disk, Source: "app", Content: true})
	bubble(t, &desk{fs: disk, opts: registry.Options{Observe: []session.Observer{file.Observe}}}, func(d *desk) {
		c := d.create(brief)
		c.talk("one", "two")
	}, modeltest.Reply{Text: "Yes.", Repeat: true})
	list := readSpans(t, disk)
	var names []string
	traces := map[string]int{}
	for _, s := range list {
		names = append(names, s.Name)
		traces[s.TraceID]++
		if s.Type != "span" || s.Status.Code != 1 || s.InstrumentationScope.Name != "app" || s.Attributes["gen_ai.conversation.id"] != "s1" {
			t.Errorf("a span is %+v", s)
		}
	}
	if diff := cmp.Diff([]string{"chat m", "invoke_agent", "chat m", "invoke_agent"}, names); diff != "" {
		t.Fatalf("spans (-want +got):\n%s", diff)
	}
	if len(traces) != 2 || list[0].ParentSpanID != list[1].SpanID || list[1].ParentSpanID != "" {
		t.Errorf("%d traces; %+v", len(traces), list)
	}
	want := `[{"role":"user","parts":[{"type":"text","content":"one"}]},{"role":"assistant","parts":[{"type":"text","content":"Yes."}]},{"role":"user","parts":[{"type":"text","content":"two"}]}]`
	if diff := cmp.Diff(want, list[2].Attributes["gen_ai.input.messages"]); diff != "" {
		t.Errorf("the input of the second call (-want +got):\n%s", diff)
	}
}

// A summary that the user asks for between two runs is a call of its own, in no run: it begins none
// that would have no end, and the next run is not part of it.
func TestASummaryBetweenRunsIsNoRun(t *testing.T) {
	disk := vfs.NewMem()
	file := spans.New(spans.Options{Path: "/spans/spans.jsonl", FS: disk})
	bubble(t, &desk{fs: disk, opts: registry.Options{Observe: []session.Observer{file.Observe}}}, func(d *desk) {
		c := d.create(brief)
		c.talk("one")
		if _, err := c.s.Compaction().Run(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		c.talk("two")
	}, summaries(100, modeltest.Reply{Text: "SUMMARY", Usage: &modeltest.Usage{Input: 70, Output: 7}})...)
	var got []string
	traces := map[string]int{}
	for _, s := range readSpans(t, disk) {
		text := s.Name
		if s.ParentSpanID == "" {
			text = "root " + text
		}
		if n, ok := s.Attributes["gen_ai.usage.output_tokens"]; ok && s.ParentSpanID == "" {
			text += fmt.Sprint(" of ", n, " tokens")
		}
		if traces[s.TraceID] == 0 {
			traces[s.TraceID] = len(traces) + 1
		}
		got = append(got, fmt.Sprint(traces[s.TraceID], " ", text))
	}
	want := []string{"1 chat m", "1 root invoke_agent", "2 root chat m of 7 tokens", "3 chat m", "3 root invoke_agent"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("traces and spans (-want +got):\n%s", diff)
	}
}

// Without being asked for, no content is written, and a file that cannot be written ends
// nothing.
func TestSpansWithoutContent(t *testing.T) {
	disk := vfs.NewMem()
	file := spans.New(spans.Options{Path: "/spans/spans.jsonl", FS: disk})
	bubble(t, &desk{fs: disk, opts: registry.Options{Observe: []session.Observer{file.Observe}}}, func(d *desk) {
		d.create(brief).talk("a secret plan")
	}, modeltest.Reply{Text: "Yes.", Repeat: true})
	data, err := disk.ReadFile("/spans/spans.jsonl")
	if err != nil || strings.Contains(string(data), "secret plan") || strings.Contains(string(data), "Yes.") {
		t.Errorf("%v; the file has content:\n%s", err, data)
	}
	broken := spans.New(spans.Options{Path: "/spans/spans.jsonl/more", FS: disk})
	bubble(t, &desk{fs: disk, opts: registry.Options{Observe: []session.Observer{broken.Observe}}}, func(d *desk) {
		d.resume(brief).talk("again")
	}, modeltest.Reply{Text: "Yes.", Repeat: true})
}

// Each observer gets all events of a session, whatever the others do with theirs.
func TestObserversDoNotShareEvents(t *testing.T) {
	var mu sync.Mutex
	seen := map[string][]string{}
	all := func(name string) session.Observer {
		return func(_ context.Context, id string, events iter.Seq2[eventlog.Record, error]) {
			for r, err := range events {
				if err != nil {
					return
				}
				if !r.Ephemeral {
					mu.Lock()
					seen[name+" "+id] = append(seen[name+" "+id], string(r.JSON))
					mu.Unlock()
				}
			}
		}
	}
	leaves := func(_ context.Context, _ string, events iter.Seq2[eventlog.Record, error]) {
		for range events {
			return
		}
	}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Observe: []session.Observer{all("first"), leaves, all("last")}}}, func(d *desk) {
		d.create(brief).talk("one")
	}, modeltest.Reply{Text: "Yes.", Repeat: true})
	first, last := seen["first s1"], seen["last s1"]
	if diff := cmp.Diff(first, last); diff != "" || !strings.Contains(strings.Join(first, ""), `"assistant.message"`) {
		t.Errorf("the first observer has seen %s, and the last one:\n%s", first, diff)
	}
}
