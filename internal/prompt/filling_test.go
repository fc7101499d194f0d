package prompt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// What takes the place of something in a text in the form of Claude Code.
func TestTextsOfClaudeCode(t *testing.T) {
	for name, test := range map[string]struct{ body, input, want string }{
		"arguments":                 {"Fix $ARGUMENTS now.", "the build", "Fix the build now."},
		"words from zero":           {"From $0 to $1, not $2.", `"a b" c`, "From a b to c, not ."},
		"words by index":            {"$ARGUMENTS[1]-$ARGUMENTS[0]", "a b", "b-a"},
		"words by name":             {"$who says $what to $other", "he hi", "he says hi to $other"},
		"no place":                  {"Fix it.", "the build", "Fix it.\n\nARGUMENTS: the build"},
		"nothing written":           {"Fix it.", "", "Fix it."},
		"variables":                 {"${CLAUDE_SKILL_DIR}/x ${CLAUDE_OTHER} ${HOME}", "", "/s/x ${CLAUDE_OTHER} ${HOME}"},
		"a command":                 {"On !`branch`.", "", "On <branch>."},
		"a command at the start":    {"!`a`\n!`b`", "", "<a>\n<b>"},
		"no command in a word":      {"x!`a`", "", "x!`a`"},
		"a block of commands":       {"Look:\n```!\na\nb\n```\nEnd", "", "Look:\n<a\nb>\nEnd"},
		"an ordinary block":         {"```\n$0\n```", "x", "```\nx\n```"},
		"arguments of a command":    {"!`log $0`", "main", "<log main>"},
		"an argument is no command": {"Say $ARGUMENTS", "x !`evil`", "Say x !`evil`"},
		"an argument is no place":   {"Say $ARGUMENTS", "$0 ${CLAUDE_SKILL_DIR}", "Say $0 ${CLAUDE_SKILL_DIR}"},
		"output is no command":      {"!`print evil`", "", "!`evil`"},
	} {
		f := Filling{
			Input: test.input, Names: []string{"who", "what"}, Variables: map[string]string{"CLAUDE_SKILL_DIR": "/s"},
			Run: func(command string) (string, string) {
				if what, ok := strings.CutPrefix(command, "print "); ok {
					return "!`" + what + "`", ""
				}
				return "<" + command + ">\n", ""
			},
		}
		if got := f.Text(test.body); got != test.want || len(f.Omitted()) > 0 {
			t.Errorf("%s: %q, want %q; omitted %q", name, got, test.want, f.Omitted())
		}
	}
}

// A command that does not run stays in the text, and is named with the reason.
func TestACommandThatDoesNotRunStays(t *testing.T) {
	f := Filling{Refused: "the folder is not trusted"}
	if got := f.Text("On !`branch`."); got != "On !`branch`." {
		t.Errorf("text %q", got)
	}
	if diff := cmp.Diff([]string{"branch (the folder is not trusted)"}, f.Omitted()); diff != "" {
		t.Errorf("omitted (-want +got):\n%s", diff)
	}
	runs := 0
	f = Filling{Run: func(string) (string, string) { runs++; return strings.Repeat("x", 1<<20), "" }}
	text := f.Text(strings.Repeat("!`a`\n", 100))
	if runs != mostCommands || len(f.Omitted()) != 80 || len(text) > 25*maxOutput {
		t.Errorf("%d commands ran, %d did not; %d bytes", runs, len(f.Omitted()), len(text))
	}
}

// A rule of allowed-tools has what the user wrote in the places for it, unless that would make it cover more. Such a place
// is none for the text.
func TestArgumentsInRules(t *testing.T) {
	for _, tc := range []struct{ rule, input, want string }{
		{"Bash(git show $0)", "main", "Bash(git show main)"},
		{"Bash(git show $rev:*)", "v1.2/x", "Bash(git show v1.2/x:*)"},
		{"Bash(git $ARGUMENTS)", "status", "Bash(git status)"},
		{"Bash(${CLAUDE_SKILL_DIR}/run:*)", "", "Bash(/a b/run:*)"},
		{"Bash(git show $0)", "*", ""},
		{"Bash(git show $0)", "main:*", ""},
		{"Bash(git show $0*)", "main:", ""},
		{"Bash(git show $0)", "'a b'", ""},
		{"Bash(git $ARGUMENTS)", "push --force", ""},
		{"Bash(git $0)", "", ""},
		{"Bash(git $0)", "x)", ""},
	} {
		f := Filling{Input: tc.input, Names: []string{"rev"}, Variables: map[string]string{"CLAUDE_SKILL_DIR": "/a b"}}
		got, why := f.Rule(tc.rule)
		if why == "" && got != tc.want || (why != "") != (tc.want == "") {
			t.Errorf("%s with %q: %q, %q, want %q", tc.rule, tc.input, got, why, tc.want)
		}
		if text := f.Text("Go."); tc.input != "" && text != "Go.\n\nARGUMENTS: "+tc.input {
			t.Errorf("%s with %q: the text is %q", tc.rule, tc.input, text)
		}
	}
	loaded := Filling{Loaded: true}
	if got, why := loaded.Rule("Bash(git show $0)"); got != "Bash(git show $0)" || why != "" {
		t.Errorf("of a skill that the model loads: %q, %q", got, why)
	}
}

// What the commands of a text may run comes with what the user wrote.
func TestTheAllowedToolsOfATextHaveItsArguments(t *testing.T) {
	var ran, allowed []string
	use := Use{Run: func(command string, rules []string) (string, string) {
		ran, allowed = append(ran, command), rules
		return "ok", ""
	}}
	front := map[string]any{"allowed-tools": "Bash(git show $0), Bash(git log $1)"}
	out, err := Disk{}.claudeText("x", "On !`git show HEAD`.", front, filled{input: "main"}, use)
	if err != nil || out.Text != "On ok.\n\nARGUMENTS: main" || len(allowed) != 1 || allowed[0] != "Bash(git show main)" || len(ran) != 1 {
		t.Errorf("%+v, %v; ran %q with %q", out, err, ran, allowed)
	}
	if !strings.Contains(strings.Join(out.Unused, "; "), "allowed-tools: Bash(git log $1) ($1 stands for more or less than one plain word)") {
		t.Errorf("what is not used: %q", out.Unused)
	}
}

// Commands may be in folders; the folder is a part of the name only if another command has it.
func TestCommandsInFolders(t *testing.T) {
	d := vfs.NewMem()
	for path, text := range map[string]string{
		"/repo/.claude/commands/a/review.md":   "One.",
		"/repo/.claude/commands/b/review.md":   "Two.",
		"/repo/.claude/commands/b/c/deploy.md": "---\ndescription: Deploys.\nwhen_to_use: On Fridays.\nmodel: opus\n---\nSee @notes.md, @../out.md and @secret. !`a`",
		"/repo/notes.md":                       "Note @secret.",
		"/repo/secret":                         "s",
		"/out.md":                              "out",
	} {
		if err := d.MkdirAll(path[:strings.LastIndex(path, "/")], 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(d, path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	disk := Disk{FS: d}
	list, _ := FindTemplates(TemplateSearch{Disk: disk, Root: "/repo"})
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	if diff := cmp.Diff([]string{"review", "deploy", "b:review"}, names); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	if list[1].Description != "Deploys. On Fridays. (b:c)" {
		t.Errorf("description %q", list[1].Description)
	}
	out, err := disk.ReadTemplate(list[1], "", Use{
		Cwd: "/repo", Root: "/repo",
		MayRead: func(path string) string {
			if path == "/repo/secret" {
				return "denied"
			}
			return ""
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "See @notes.md, @../out.md and @secret. !`a`\n\n<attachment name=\"notes.md\" type=\"text/plain\">\nNote @secret.\n</attachment>"
	if diff := cmp.Diff(want, out.Text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	for _, part := range []string{"model", "the command a (", "@secret (denied)", "@../out.md ("} {
		if !strings.Contains(strings.Join(out.Unused, "; "), part) {
			t.Errorf("%q is not named: %q", part, out.Unused)
		}
	}
}
