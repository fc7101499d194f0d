package prompt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestFindTemplates(t *testing.T) {
	d := vfs.NewMem()
	for path, text := range map[string]string{
		"/repo/.github/prompts/fix.prompt.md":   "---\ndescription: Fix it.\nargument-hint: what to fix\n---\nFix $ARGUMENTS.",
		"/repo/.github/prompts/notes.md":        "Not a prompt.",
		"/repo/.github/prompts/a b.prompt.md":   "A name with a space.",
		"/repo/.github/prompts/other.prompt.md": "---\nname: renamed\n---\nx",
		"/repo/.claude/commands/review.md":      "Review $1.",
		"/home/prompts/fix.prompt.md":           "The same name.",
		"/home/prompts/mine.prompt.md":          "Mine.",
		"/plugin/commands/deploy.md":            "---\ndescription: Deploy.\n---\nDeploy.",
		"/plugin/commands/binary.md":            "\x00",
	} {
		if err := d.MkdirAll(path[:strings.LastIndex(path, "/")], 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(d, path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, warnings := FindTemplates(TemplateSearch{Disk: Disk{FS: d}, Root: "/repo", Home: "/home", Plugins: []string{"/plugin"}})
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"fix", "renamed", "review", "mine", "deploy"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if list[0].Description != "Fix it." || list[0].Hint != "what to fix" {
		t.Errorf("fix is %+v", list[0])
	}
	for i, want := range []string{"not a name for a command", "left out: /fix is in /repo", "not a text file"} {
		if i >= len(warnings) || !strings.Contains(warnings[i], want) {
			t.Errorf("warnings %q, want %q", warnings, want)
		}
	}
}

func TestReadTemplate(t *testing.T) {
	for name, test := range map[string]struct {
		text, input string
		want        TemplateText
		why         string
	}{
		"arguments":               {text: "Fix $ARGUMENTS now.", input: "the build", want: TemplateText{Text: "Fix the build now."}},
		"words":                   {text: "From $1 to $2, not $3 or $10.", input: "a b", want: TemplateText{Text: "From a to b, not  or $10."}},
		"an input":                {text: "Make ${input:name:the name}.", input: "a form", want: TemplateText{Text: "Make a form."}},
		"inputs by name":          {text: "${input:a}-${input:b}-${input:a}", input: `b="2 3" a=1`, want: TemplateText{Text: "1-2 3-1"}},
		"the rest is the first":   {text: "${input:a}-${input:b}", input: `b=2 one more x=y`, want: TemplateText{Text: "one more x=y-2"}},
		"an input is missing":     {text: "${input:a:which one} ${input:b}", input: "x", why: `/t needs b; write /t b="…"`},
		"all inputs are missing":  {text: "${input:a:which one} ${input:a}", why: `/t needs a (which one); write /t a="…"`},
		"the user's text is text": {text: "Say $ARGUMENTS", input: "$ARGUMENTS ${input:x}", want: TemplateText{Text: "Say $ARGUMENTS ${input:x}"}},
		"without a placeholder":   {text: "Review.", input: "the tests", want: TemplateText{Text: "Review.\n\nThe user's request: the tests"}},
		"the folder":              {text: "${workspaceFolder} ${workspaceFolderBasename}", want: TemplateText{Text: "/repo repo"}},
		"no editor": {
			text: "See ${selection} and ${file}, ${file}.", want: TemplateText{Text: "See ${selection} and ${file}, ${file}.", Unused: []string{"${selection}", "${file}"}},
		},
		"front matter": {text: "---\nagent: plan\nmodel: x\ntools: [a]\n---\nPlan.", want: TemplateText{Text: "Plan.", Mode: "plan", Unused: []string{"model", "tools"}}},
		"an agent":     {text: "---\nmode: ask\n---\nAsk.", want: TemplateText{Text: "Ask.", Unused: []string{"agent: ask"}}},
		"a shell's":    {text: "echo $HOME $10 ${1} costs $5", want: TemplateText{Text: "echo $HOME $10 ${1} costs"}},
	} {
		d := vfs.NewMem()
		if err := vfs.WriteFileAtomic(d, "/t.prompt.md", []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Disk{FS: d}.ReadTemplate(Template{Name: "t", Path: "/t.prompt.md"}, test.input, Use{Cwd: "/repo"})
		if test.why != "" {
			if err == nil || err.Error() != test.why {
				t.Errorf("%s: %v, want %q", name, err, test.why)
			}
			continue
		}
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// A file that repeats what the user wrote cannot fill the memory.
func TestTheTextOfATemplateIsBounded(t *testing.T) {
	d := vfs.NewMem()
	if err := vfs.WriteFileAtomic(d, "/x.prompt.md", []byte(strings.Repeat("$ARGUMENTS ", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	x := Template{Name: "x", Path: "/x.prompt.md"}
	if out, err := (Disk{FS: d}).ReadTemplate(x, strings.Repeat("long ", 10_000), Use{Cwd: "/"}); err == nil || !strings.Contains(err.Error(), "/x has more than 4") {
		t.Errorf("%d bytes, %v", len(out.Text), err)
	}
	if out, err := (Disk{FS: d}).ReadTemplate(x, "short", Use{Cwd: "/"}); err != nil || len(out.Text) != 5000*6-1 {
		t.Errorf("%d bytes, %v", len(out.Text), err)
	}
}
