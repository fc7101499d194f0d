package e2e_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// recordings is where they lie beside a developer's checkout; users have none.
const recordings = "../../shared/recordings"

// TestRecordedConversations holds each recorded conversation again, set up as the
// SDKs' own test of it does: the same prompts, the same files, hooks and answers of a
// person, the built-in tools of this program at real work, and clients' tools that
// give the recorded results. Every request that the model gets must be one that the
// recording knows, and the answers come out whole. docs/recordings.md has the figures.
func TestRecordedConversations(t *testing.T) {
	if _, err := os.Stat(recordings); err != nil {
		t.Skipf("the recordings are not here (%s); they are test data of the developers", recordings)
	}
	found := load(t)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(scenes)), slices.Collect(maps.Keys(programs)), slices.Collect(maps.Keys(otherwise))) {
		if found[name] == nil {
			t.Errorf("a scene without its recording: %s", name)
		}
	}
	checkPage(t, found)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if rec := found[name]; len(rec.Conversations) > 0 {
			t.Run(name, func(t *testing.T) { replay(t, name, rec) })
		}
	}
}

// load reads all recordings, by folder and name.
func load(t *testing.T) map[string]*modeltest.Recording {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recordings, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", recordings, err)
	}
	found := map[string]*modeltest.Recording{}
	for _, file := range files {
		rec, err := modeltest.LoadRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(filepath.Dir(file))+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml")] = rec
	}
	return found
}

// replay holds the conversations of one recording.
func replay(t *testing.T, name string, rec *modeltest.Recording) {
	if play := programs[name]; play != nil {
		perform(t, rec, play)
		return
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
