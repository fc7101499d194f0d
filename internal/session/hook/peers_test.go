package hook_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// at puts a file at a path of the repository, which need not be among the hooks of Copilot.
func (r *repository) at(t *testing.T, path, text string) {
	t.Helper()
	r.file(t, "none.txt", "")
	if err := r.disk.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(r.disk, path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var edit = hook.Call{ID: "c1", Name: "edit", Arguments: json.RawMessage(`{"path":"a.go","old_str":"x","new_str":"y"}`)}

// The nested shape of Claude Code: the command reads Claude's names, and may answer in them.
func TestAHookInTheShapeOfClaudeCode(t *testing.T) {
	s, r := &recorder{}, &repository{outputs: map[string]string{
		"guard": `{"systemMessage":"looked","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"file_path":"b.go","old_string":"x","new_string":"z"}},"colour":1}`,
	}}
	r.at(t, "/repo/.claude/settings.json", `{"model":"opus","hooks":{"PreToolUse":[
		{"matcher":"Write|Edit","hooks":[{"type":"command","command":"guard","timeout":7}]},
		{"matcher":"Read","hooks":[{"type":"command","command":"other"}]},
		{"matcher":"mcp__db__.*","hooks":[{"type":"command","command":"db"}]}]}}`)
	h := newHooks(s, r.files())
	h.ReadFiles(atRepo)
	got := h.PreToolUse(t.Context(), edit)
	if got.Permission != "allow" || string(got.Arguments) != `{"new_str":"z","old_str":"x","path":"b.go"}` {
		t.Errorf("decision %+v, arguments %s", got, got.Arguments)
	}
	if len(r.ran) != 1 || r.ran[0].Env["CLAUDE_PROJECT_DIR"] != "/repo" {
		t.Fatalf("ran %+v", r.ran)
	}
	var input map[string]any
	if err := json.Unmarshal(r.ran[0].Input, &input); err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.RFC3339Nano, input["timestamp"].(string)); err != nil {
		t.Error(err)
	}
	delete(input, "timestamp")
	want := map[string]any{
		"hook_event_name": "PreToolUse", "session_id": "s1", "transcript_path": "", "cwd": "/repo/sub", "permission_mode": "default",
		"tool_name": "Edit", "tool_use_id": "c1",
		"tool_input": map[string]any{"path": "a.go", "file_path": "a.go", "old_str": "x", "old_string": "x", "new_str": "y", "new_string": "y"},
	}
	if diff := cmp.Diff(want, input); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	log := strings.Join(s.log(), "\n")
	if !strings.Contains(log, "info looked") || !strings.Contains(log, "returned colour, which has no effect") {
		t.Errorf("events:\n%s", log)
	}
	h.PreToolUse(t.Context(), hook.Call{Name: "db-query", Server: "db", ServerTool: "query", Arguments: json.RawMessage(`{}`)})
	if len(r.ran) != 2 || r.ran[1].Text != "db" {
		t.Errorf("ran %+v", r.ran)
	}
}

// Each shape of a hook, by the command that runs for a call of edit; "" if none does.
func TestTheShapesOfHooks(t *testing.T) {
	for _, tc := range []struct{ hooks, runs, warning string }{
		{`{"preToolUse":[{"command":"a"}]}`, "a", ""},
		{`{"preToolUse":[{"bash":"a","powershell":"a","timeout":1}]}`, "a", ""},
		{`{"preToolUse":[{"exec":"./a b","args":["it's"]}]}`, `'./a b' 'it'\''s'`, ""},
		{`{"PreToolUse":[{"command":"a","matcher":"Edit"}]}`, "a", ""},
		{`{"PreToolUse":[{"command":"a","matcher":"edit"}]}`, "a", ""},
		{`{"PreToolUse":[{"command":"a","matcher":"Bash, Edit"}]}`, "a", ""},
		{`{"PreToolUse":[{"command":"a","matcher":"Ed.*"}]}`, "a", ""},
		{`{"PreToolUse":[{"command":"a","matcher":"Ed"}]}`, "", ""},
		{`{"preToolUse":[{"command":"a","matcher":"Edit"}]}`, "", ""},
		{`{"preToolUse":[{"hooks":[{"command":"a"}],"matcher":"edit"}]}`, "a", ""},
		{`{"preToolUse":[{"type":"prompt","prompt":"p"}]}`, "", `preToolUse hook 1: type is "prompt"`},
		{`{"PreToolUse":[{"hooks":[{"type":"mcp_tool"}]}]}`, "", `PreToolUse hook 1.1: type is "mcp_tool"`},
		{`{"preToolUse":[{"command":"a","async":true}]}`, "a", `"async" has no effect`},
		{`{"Notification":[{"command":"a"}]}`, "", "Notification: this version has no occasion for the event"},
		{`{"preToolUsed":[{"command":"a"}]}`, "", "preToolUsed: no such event is known"},
	} {
		s, r := &recorder{}, &repository{}
		r.file(t, "a.json", `{"hooks":`+tc.hooks+`}`)
		h := newHooks(s, r.files())
		h.ReadFiles(atRepo)
		h.PreToolUse(t.Context(), edit)
		ran := ""
		for _, one := range r.ran {
			ran += one.Text
		}
		log := strings.Join(s.log(), "\n")
		if ran != tc.runs || !strings.Contains(log, tc.warning) || tc.warning == "" && strings.Contains(log, "warning") {
			t.Errorf("%s runs %q, want %q; events:\n%s", tc.hooks, ran, tc.runs, log)
		}
	}
}

// What the exit status 2 and plain text mean to events in PascalCase.
func TestStatusAndTextOfClaudesHooks(t *testing.T) {
	code, errors, output := 2, "because", ""
	s, r := &recorder{}, &repository{}
	r.at(t, "/repo/.claude/settings.local.json", `{"hooks":{
		"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a"}]}],
		"Stop":[{"hooks":[{"type":"command","command":"a"}]}],
		"SessionStart":[{"matcher":"startup","hooks":[{"type":"command","command":"a"}]}]}}`)
	files := r.files()
	files.RunScript = func(context.Context, shell.Script) (shell.Outcome, error) {
		return shell.Outcome{Code: code, Errors: errors, Output: []byte(output)}, nil
	}
	h := newHooks(s, files)
	h.ReadFiles(atRepo)
	if got := h.UserPromptSubmitted(t.Context(), "p"); !got.Blocked || got.Why != "because" {
		t.Errorf("UserPromptSubmitted = %+v", got)
	}
	if got := h.Stop(t.Context(), "/log", false); got != "because" {
		t.Errorf("Stop = %q", got)
	}
	code, output = 0, "{\"type\":\"progress\"}\nmind the gap\n"
	if got := h.UserPromptSubmitted(t.Context(), "p"); got.Blocked || got.Added != "mind the gap" {
		t.Errorf("UserPromptSubmitted = %+v", got)
	}
	if got := h.SessionStart(t.Context(), "new", "p"); got != "mind the gap" {
		t.Errorf("SessionStart = %q", got)
	}
	if got := h.SessionStart(t.Context(), "resume", "p"); got != "" {
		t.Errorf("SessionStart of a resume = %q", got)
	}
	output = `{"continue":false,"stopReason":"enough"}`
	if got := h.UserPromptSubmitted(t.Context(), "p"); !got.Blocked || got.Why != "enough" {
		t.Errorf("UserPromptSubmitted = %+v", got)
	}
	if got := h.Stop(t.Context(), "/log", false); got != "" {
		t.Errorf("Stop = %q", got)
	}
}

// The user's own hooks need no trust and no sandbox, and the repository's do.
func TestTheUsersOwnHooksNeedNoTrust(t *testing.T) {
	s, r := &recorder{}, &repository{}
	r.file(t, "a.json", `{"hooks":{"preToolUse":[{"command":"theirs"}]}}`)
	r.at(t, "/home/hooks/mine.json", `{"hooks":{"preToolUse":[{"command":"mine"}]}}`)
	files := r.files()
	files.Home = "/home"
	h := hook.New(hook.Options{
		Session: s, SessionID: "s1", Files: files, Logger: slog.New(slog.DiscardHandler),
		Sandbox: func(context.Context) (*sandbox.Boxes, *sandbox.Policy, error) { return nil, &sandbox.Policy{}, nil },
	})
	where := atRepo
	where.Switch = hook.IfTrusted
	h.ReadFiles(where)
	h.PreToolUse(t.Context(), edit)
	if len(r.ran) != 1 || r.ran[0].Text != "mine" || r.ran[0].Dir != "/repo" || r.ran[0].Sandbox != nil {
		t.Errorf("ran %+v", r.ran)
	}
	list, _ := files.Discover([]string{"/repo"}, nil)
	if len(list) != 1 || list[0].Source != "/home/hooks/mine.json" {
		t.Errorf("listed %+v", list)
	}
}

// A file with a guard that cannot be read is named, wherever it is, and one of ordinary length has its effect.
func TestAGuardThatCannotBeReadIsNamed(t *testing.T) {
	guard := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"guard"}]}]},"pad":"` + strings.Repeat("x", 65<<10) + `"}`
	for _, path := range []string{".claude/settings.json", ".claude/settings.local.json", ".github/copilot/settings.json", ".github/copilot/settings.local.json", ".github/hooks/a.json"} {
		for name, tc := range map[string]struct {
			text, warning string
			link          bool
		}{
			"long":    {guard, "", false},
			"longer":  {guard + strings.Repeat(" ", 1<<20), "not a file of at most 1 MiB", false},
			"a link":  {guard, "a link that leads out of the repository", true},
			"no JSON": {`{"hooks":`, "its hooks cannot be read", false},
		} {
			s, r := &recorder{}, &repository{trusted: true, outputs: map[string]string{"guard": `{"decision":"block"}`}}
			r.at(t, "/repo/"+path, tc.text)
			files := r.files()
			if tc.link {
				files.Resolve = func(p string) string { return strings.Replace(p, "/repo/"+path, "/elsewhere", 1) }
			}
			h := newHooks(s, files)
			where := atRepo
			where.Switch = hook.IfTrusted
			h.ReadFiles(where)
			denied := h.PreToolUse(t.Context(), lookup).Denied != ""
			log := strings.Join(s.log(), "\n")
			if denied != (tc.warning == "") || tc.warning != "" && (!strings.Contains(log, "warning "+path+": ") || !strings.Contains(log, tc.warning)) {
				t.Errorf("%s, %s: denied %v, want the warning %q:\n%.2000s", path, name, denied, tc.warning, log)
			}
		}
	}
}
