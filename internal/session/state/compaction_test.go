package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A summary that arrives after messages behind it were released keeps those messages.
func TestASummaryKeepsWhatCameMeanwhile(t *testing.T) {
	say := func(texts ...string) (all []Message) {
		for _, text := range texts {
			all = append(all, Message{FromUser: true, Text: text})
		}
		return all
	}
	first := Message{FromUser: true, Text: "summary"}
	for _, tc := range []struct {
		name     string
		was      Thread
		released int
		messages int
	}{
		{"nothing was released", Thread{Messages: say("1", "2", "3")}, 0, 2},
		{"a part of what it replaces was released", Thread{Released: 1, releasedAt: 3, Messages: say("2", "3")}, 0, 2},
		{"all of it", Thread{Released: 2, releasedAt: 3, Messages: say("3")}, 0, 2},
		{"more", Thread{Released: 3, releasedAt: 3}, 2, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := tc.was
			c.replace(2, first, 9)
			if c.Released != tc.released || len(c.Messages) != tc.messages {
				t.Errorf("%d messages are released and %d in memory, want %d and %d", c.Released, len(c.Messages), tc.released, tc.messages)
			}
			if c.Released > 0 && c.releasedAt != 9 || c.Released == 0 && c.releasedAt != 0 {
				t.Errorf("the released messages are read up to position %d", c.releasedAt)
			}
		})
	}
}

// Shortening results also shortens those that are in the log only.
func TestReleasedResultsAreShortenedToo(t *testing.T) {
	var log []string
	for i := range 6 {
		log = append(log,
			fmt.Sprintf(`{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"c%d","name":"a","arguments":{}}]}}`, i),
			fmt.Sprintf(`{"type":"tool.execution_complete","data":{"toolCallId":"c%d","success":true,"result":{"content":%q},"shellExecution":{"exitCode":3}}}`, i, strings.Repeat("x", 3000)))
	}
	truncation := fmt.Sprintf(`{"type":"session.truncation","data":{"performedBy":%q}}`, wire.TruncatedByUs)
	s := fold(t, log...)
	s.Main.Release(s.Seq)
	log = append(log, truncation)
	apply(t, s, truncation)
	all, err := s.Main.All(s.Cuts(), records(log))
	if diff := cmp.Diff(read(fold(t, log...).Main.Messages), read(all)); err != nil || diff != "" {
		t.Errorf("%v, the thread (-kept in memory +released):\n%s", err, diff)
	}
	if !strings.Contains(read(all), "taken out to make room. The command exited with exit code 3.") {
		t.Errorf("no result was shortened so that its exit code is left:\n%s", read(all))
	}
}
