package wire_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A sync takes milliseconds, so only these kinds of events have one: what the user wrote or
// changed, what a tool is about to do and did, and the end of a turn.
func TestTheEventsThatAreSynced(t *testing.T) {
	var synced []string
	for name := range wire.Kinds {
		if wire.KindOf(name, nil).Synced() {
			synced = append(synced, string(name))
		}
	}
	for _, info := range []string{
		wire.InfoMessageQueued, wire.InfoMessagesDropped, wire.InfoHistoryTruncated, wire.InfoSessionNamed, "of another program",
	} {
		if wire.KindOf("session.info", wire.Raw(fmt.Appendf(nil, `{"infoType":%q}`, info))).Synced() {
			synced = append(synced, "session.info "+info)
		}
	}
	slices.Sort(synced)
	want := []string{
		"assistant.turn_end", "session.info " + wire.InfoMessageQueued, "session.info " + wire.InfoMessagesDropped,
		"session.info " + wire.InfoHistoryTruncated, "tool.execution_complete", "tool.execution_start", "tool.user_requested", "user.message",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, synced); diff != "" {
		t.Errorf("synced (-want +got):\n%s", diff)
	}
}
