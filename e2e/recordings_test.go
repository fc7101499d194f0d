package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

// recordings is where they lie beside a developer's checkout; users have none.
const recordings = "../../shared/recordings"

// replayed are the suites of the SDKs' tests whose conversations the core loop holds.
var replayed = []string{
	"abort", "ask_user", "builtin_tools", "client_api", "client_options", "compaction", "event_fidelity", "hooks",
	"hooks_extended", "mode_empty", "multi_turn", "permissions", "session", "session_config", "session_fs_sqlite", "skills",
	"streaming_fidelity", "subagent_hooks", "rpc_tasks_and_handlers", "system_message_sections", "system_message_transform", "tool_results", "tools",
}

// TestRecordedConversations holds each recorded conversation again, set up as the
// SDKs' own test of it does: the same prompts, the same files, hooks and answers of a
// person, the built-in tools of this program at real work, and clients' tools that
// give the recorded results. Every request that the model gets must be one that the
// recording knows, and the answers come out whole.
func TestRecordedConversations(t *testing.T) {
	if _, err := os.Stat(recordings); err != nil {
		t.Skipf("the recordings are not here (%s); they are test data of the developers", recordings)
	}
	for name := range scenes {
		if _, err := os.Stat(filepath.Join(recordings, name+".yaml")); err != nil {
			t.Errorf("a scene without its recording: %v", err)
		}
	}
	count := 0
	for _, suite := range replayed {
		found, err := filepath.Glob(filepath.Join(recordings, suite, "*.yaml"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no recordings of the suite %s: %v", suite, err)
		}
		for _, file := range found {
			name := suite + "/" + strings.TrimSuffix(filepath.Base(file), ".yaml")
			t.Run(name, func(t *testing.T) { replay(t, name, file) })
		}
		count += len(found)
	}
	t.Logf("%d recordings", count)
}

// replay holds the conversations of one recording.
func replay(t *testing.T, name, file string) {
	rec, err := modeltest.LoadRecording(file)
	if err != nil {
		t.Fatal(err)
	}
	set := scenes[name]
	inReal := set.files != nil || usesBuiltins(rec)
	if inReal {
		t.Parallel()
	}
	if problem := holdAll(t, rec, set, inReal); problem != "" {
		t.Error(problem)
	}
}

// way is how a conversation is held.
type way struct {
	real      bool // with processes and files, not in a bubble
	streaming bool
	resuming  bool // with a new process for each prompt
}

// holdAll holds every conversation of a recording that is not the beginning of
// another, in every way it can be, and returns what went wrong.
func holdAll(t *testing.T, rec *modeltest.Recording, set scene, inReal bool) (problem string) {
	for i, conversation := range rec.Conversations {
		if continued(rec, set, i) {
			continue
		}
		ways := []way{{real: inReal}}
		if !multipleChoices(rec) { // a stream of the recording proxy has one choice only
			ways = append(ways, way{real: inReal, streaming: true})
		}
		if len(set.prompts(conversation)) > 1 {
			ways = append(ways, way{real: inReal, resuming: true})
		}
		for _, w := range ways {
			if inReal {
				problem = hold(t, rec, conversation, set, w)
			} else {
				synctest.Test(t, func(t *testing.T) { problem = hold(t, rec, conversation, set, w) })
			}
			if problem != "" {
				return fmt.Sprintf("conversation %d, %+v: %s", i, w, problem)
			}
		}
	}
	return ""
}

// hold plays one conversation through a server and returns what went wrong.
func hold(t *testing.T, rec *modeltest.Recording, conversation []modeltest.Message, set scene, w way) string {
	h := newHolder(t, rec, conversation, set, w)
	defer h.player.Close()
	defer func() { h.end() }()
	h.begin(t)
	if set.resumed != nil {
		h.end()
		h.begin(t)
	}
	for i, a := range set.prompts(conversation) {
		if w.resuming && i > 0 {
			h.end()
			h.begin(t)
		}
		if err := h.ask(t.Context(), i, a); err != nil {
			return fmt.Sprintf("%v\n%s", err, h.player.Mismatch())
		}
		if len(set.sees) > 0 && h.sees() != set.sees[i] {
			return fmt.Sprintf("the model sees a picture: %t, want %t", h.sees(), set.sees[i])
		}
	}
	h.leave(t)
	if m := h.player.Mismatch(); m != "" && !(set.compacts && strings.Contains(m, `"content":"${compaction_prompt}"`)) {
		return m
	}
	if want := lastAnswer(conversation); h.said != want {
		return fmt.Sprintf("the last answer is %q, want %q", h.said, want)
	}
	return h.missed(conversation)
}
