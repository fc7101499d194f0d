package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestLocate(t *testing.T) {
	disk := vfs.NewMem()
	write := func(name, text string) {
		t.Helper()
		dir := name[:strings.LastIndex(name, "/")]
		if err := disk.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(disk, name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("/repo/.git/HEAD", "ref: refs/heads/feature/x\n")
	write("/repo/.git/config", "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = https://h/other/fork\n[remote \"origin\"]\n\turl = git@github.com:octo/cat.git\n\tfetch = x\n")
	write("/repo/sub/dir/file", "")
	write("/detached/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n")
	write("/tree/.git", "gitdir: /repo/.git/worktrees/tree\n")
	write("/repo/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n")
	write("/repo/.git/worktrees/tree/commondir", "../..\n")
	no := false
	r := &Registry{opts: Options{FS: disk, Cwd: "/repo"}}
	for _, tc := range []struct {
		name string
		cfg  wire.Config
		want wire.SessionContext
	}{
		{"inside a repository", wire.Config{WorkingDirectory: "/repo/sub/dir"}, wire.SessionContext{Cwd: "/repo/sub/dir", GitRoot: "/repo", Repository: "octo/cat", Branch: "feature/x"}},
		{"a relative directory", wire.Config{WorkingDirectory: "sub"}, wire.SessionContext{Cwd: "/repo/sub", GitRoot: "/repo", Repository: "octo/cat", Branch: "feature/x"}},
		{"no directory named", wire.Config{}, wire.SessionContext{Cwd: "/repo", GitRoot: "/repo", Repository: "octo/cat", Branch: "feature/x"}},
		{"a worktree", wire.Config{WorkingDirectory: "/tree"}, wire.SessionContext{Cwd: "/tree", GitRoot: "/tree", Repository: "octo/cat", Branch: "other"}},
		{"a detached head", wire.Config{WorkingDirectory: "/detached"}, wire.SessionContext{Cwd: "/detached", GitRoot: "/detached"}},
		{"no repository", wire.Config{WorkingDirectory: "/elsewhere"}, wire.SessionContext{Cwd: "/elsewhere"}},
		{"git is not to be looked at", wire.Config{GitOperations: &no}, wire.SessionContext{Cwd: "/repo"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, r.locate(tc.cfg, r.opts.Cwd)); diff != "" {
				t.Errorf("locate (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOwnerAndName(t *testing.T) {
	for url, want := range map[string]string{
		"https://github.com/octo/cat.git": "octo/cat", "git@github.com:octo/cat.git": "octo/cat", "ssh://git@host:22/octo/cat": "octo/cat",
		"https://host/deep/group/octo/cat/": "octo/cat", "/srv/git/cat.git": "", "cat": "", "": "", "https://host": "", "host:cat": "",
	} {
		if got := ownerAndName(url); got != want {
			t.Errorf("ownerAndName(%q) = %q, want %q", url, got, want)
		}
	}
}

// fold is the history of a log given as types and data.
func fold(t *testing.T, lines ...string) *history {
	t.Helper()
	h := &history{}
	for _, l := range lines {
		e, err := wire.ParseEvent([]byte(l))
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		h.apply(h.seq+1, e)
	}
	return h
}

// TestTheTranscriptIsValidWhateverTheLogHolds gives the fold logs that no run of
// ours would write: each call has exactly one result, right after its message.
func TestTheTranscriptIsValidWhateverTheLogHolds(t *testing.T) {
	const message = `{"type":"assistant.message","data":{"content":"x","toolRequests":[{"toolCallId":"c1","name":"a","arguments":{"z":1,"a":2}},{"toolCallId":"c1","name":"b","arguments":"oops"}]}}`
	done := func(id, text string) string {
		return `{"type":"tool.execution_complete","data":{"toolCallId":"` + id + `","success":true,"result":{"content":"` + text + `"}}}`
	}
	const interrupted = "The execution of this tool, or a previous tool was interrupted."
	for _, tc := range []struct {
		name string
		log  []string
		want []string // role: content
	}{
		{"no results", []string{message}, []string{"assistant: x", "tool: " + interrupted, "tool: " + interrupted}},
		{"a result without a call", []string{done("c9", "stray"), message}, []string{"assistant: x", "tool: " + interrupted, "tool: " + interrupted}},
		{"one id twice in a message", []string{message, done("c1", "1"), done("c1", "2"), done("c1", "3")}, []string{"assistant: x", "tool: 1", "tool: 2"}},
		{"an id used again later", []string{message, done("c1", "1"), done("c1", "2"), message, done("c1", "3")}, []string{"assistant: x", "tool: 1", "tool: 2", "assistant: x", "tool: 3", "tool: " + interrupted}},
		{"a message in between", []string{message, `{"type":"user.message","data":{"content":"u"}}`, done("c1", "1")}, []string{"assistant: x", "tool: 1", "tool: " + interrupted, "user: u"}},
		{"data of a wrong shape", []string{`{"type":"assistant.message","data":{"content":7}}`, `{"type":"assistant.message","data":null}`, `{"type":"user.message","data":{"content":"u"}}`}, []string{"user: u"}},
		{"an answer that says nothing", []string{`{"type":"assistant.message","data":{"content":""}}`}, nil},
		{"a sub-agent's conversation", []string{`{"type":"user.message","agentId":"sub","data":{"content":"u"}}`}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, m := range transcript("", fold(t, tc.log...).entries) {
				got = append(got, string(m.Role)+": "+m.Content)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
		})
	}
	calls := transcript("S", fold(t, message).entries)[1].ToolCalls
	want := []model.ToolCall{{ID: "c1", Name: "a", Arguments: `{"z":1,"a":2}`}, {ID: "c1", Name: "b", Arguments: "oops"}}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("arguments as the model reads them again (-want +got):\n%s", diff)
	}
}

func TestTitle(t *testing.T) {
	for message, want := range map[string]string{
		"  Fix the   bug\nin x": "Fix the bug", "\n\n second": "second", "": "",
		strings.Repeat("ä", 61): strings.Repeat("ä", 59) + "…", strings.Repeat("ä", 60): strings.Repeat("ä", 60),
	} {
		if got := title(message); got != want {
			t.Errorf("title(%q) = %q, want %q", message, got, want)
		}
	}
}

// What a session holds of a long conversation is bounded, and what the model is
// sent is the whole of it.
func TestALongConversationLeavesMemoryAndNotTheTranscript(t *testing.T) {
	text := strings.Repeat("x", 100<<10)
	var log []string
	for i := range 120 {
		id := fmt.Sprint("c", i)
		log = append(log,
			fmt.Sprintf(`{"type":"user.message","data":{"content":"%d%s"}}`, i, text),
			fmt.Sprintf(`{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":%q,"name":"a","arguments":{"n":%d}}]}}`, id, i),
			fmt.Sprintf(`{"type":"tool.execution_complete","data":{"toolCallId":%q,"success":true,"result":{"content":"%d%s"}}}`, id, i, text))
	}
	h, whole := fold(t, log...), &history{conversation: conversation{whole: true}}
	records := func(yield func(eventlog.Record, error) bool) {
		for i, line := range log {
			if !yield(eventlog.Record{Seq: uint64(i + 1), JSON: []byte(line)}, nil) {
				return
			}
		}
	}
	for rec := range records {
		e, _ := wire.ParseEvent(rec.JSON)
		whole.apply(rec.Seq, e)
	}
	bare := slices.Clone(h.entries)
	for i := range bare {
		bare[i].said = "" // a piece of the text
	}
	if held := len(fmt.Sprint(bare)); held > maxHeld+len(text) || h.gone == 0 {
		t.Errorf("%d bytes are held and %d messages are gone, want at most %d bytes", held, h.gone, maxHeld)
	}
	entries, err := h.all(records)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(transcript("", entries), transcript("", whole.entries), func(a, b model.Message) bool { return cmp.Equal(a, b) }) {
		t.Error("the transcript is not that of the whole conversation")
	}
}
