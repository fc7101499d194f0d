package cell

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// long is a session of 10,000 persisted events.
func long(b *testing.B) (list []wire.Event) {
	b.Helper()
	output := strings.Repeat("a line of the output of a command\\n", 60)
	for i := range 1000 {
		for _, l := range []string{
			`{"type":"user.message","data":{"content":"Please go on with the next step, and tell me what you did."}}`,
			`{"type":"assistant.turn_start","data":{"turnId":"0"}}`,
			`{"type":"assistant.message","data":{"messageId":"m%[1]d","content":"I look at the **code** first.\n\n- one\n- two","model":"m"}}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"a%[1]d","toolName":"bash","arguments":{"command":"go test ./..."}}}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"a%[1]d","success":true,"result":{"content":"` + output + `<exited with exit code 0>"}}}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"b%[1]d","toolName":"edit","arguments":{"path":"a.go","old_str":"0","new_str":"1"}}}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"b%[1]d","success":true,"result":{"content":"ok","detailedContent":"--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"}}}`,
			`{"type":"assistant.turn_end","data":{"turnId":"0"}}`,
			`{"type":"assistant.turn_start","data":{"turnId":"1"}}`,
			`{"type":"assistant.turn_end","data":{"turnId":"1"}}`,
		} {
			if strings.Contains(l, "%[1]d") {
				l = fmt.Sprintf(l, i)
			}
			e, err := wire.ParseEvent([]byte(l))
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, e)
		}
	}
	return list
}

func held() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// The cost of a long session: to open it, to follow it, and to show it in the pager.
func BenchmarkLongSession(b *testing.B) {
	list := long(b)
	for _, bc := range []struct {
		name string
		run  func() any
	}{
		{"resume", func() any {
			c := New(Options{})
			_ = c.Resume(seq(list, nil), false)
			c.Take(80)
			return c
		}},
		{"follow", func() any {
			f := newFeed(Options{})
			for _, e := range list {
				f.Event(read(&f.reader, e), f.at)
				f.Take(80)
			}
			return f
		}},
		{"pager", func() any {
			t, _ := Read(seq(list, nil))
			for i := range t.Len() {
				t.Rows(i, 80)
			}
			return t
		}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			before := held()
			var kept any
			for b.Loop() {
				kept = bc.run()
			}
			b.ReportMetric(held()-before, "MB-held")
			runtime.KeepAlive(kept)
		})
	}
}

// The cost of a frame while an answer of 1 MB streams and two calls run.
func BenchmarkFrame(b *testing.B) {
	f := newFeed(Options{})
	feed := func(l string) {
		e, err := wire.ParseEvent([]byte(l))
		if err != nil {
			b.Fatal(err)
		}
		f.Event(read(&f.reader, e), f.at)
	}
	feed(`{"type":"assistant.turn_start","data":{}}`)
	b.ReportAllocs()
	for b.Loop() {
		feed(`{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"Some words of an answer that goes on and on, with ` + "`code`" + ` and **bold**, as models do.\n\nAnd "}}`)
		f.Take(80)
		f.Live(80, 20, f.at)
		f.Activity(f.at).Row(80)
		f.Status().Row(80)
	}
}
