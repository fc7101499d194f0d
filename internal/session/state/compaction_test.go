package state

import (
	"testing"
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
