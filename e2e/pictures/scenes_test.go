//go:build unix

package pictures

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// scene is what leads to a picture.
type scene struct {
	name, what string // of the file; of the picture, for those who do not see it
	wide, high int    // the terminal; 0: 80 and 24
	before     []string
	args       []string
	replies    []modeltest.Reply
	steps      []step
}

// step is keys, and what the screen shows then.
type step struct{ keys, until []string }

const enter = "\r"

// busy is on the screen when the agent has worked for a while: before, no time is shown.
const busy = " s · Esc"

func (s *scene) columns() int {
	if s.wide == 0 {
		return 80
	}
	return s.wide
}

func (s *scene) rows() int {
	if s.high == 0 {
		return 24
	}
	return s.high
}

// say types a text, sends it, and waits.
func say(text string, until ...string) step { return step{[]string{text, enter}, until} }

// keys types keys and waits.
func keys(keys []string, until ...string) step { return step{keys, until} }

// used is what an answer has cost.
var used = &modeltest.Usage{Input: 2400, Output: 160}

func call(text, tool, arguments string) modeltest.Reply {
	return modeltest.Reply{Text: text, ToolCalls: []modeltest.ToolCall{{Name: tool, Arguments: arguments}}, Usage: used}
}

func answer(text string) modeltest.Reply { return modeltest.Reply{Text: text, Usage: used} }

// silence is an answer that begins and does not end.
func silence(text string) modeltest.Reply {
	return modeltest.Reply{Text: text + strings.Repeat(" ", 16), StallAfter: (len(text)+15)/16 + 1, Usage: used}
}

const table = "Titles become URLs in three steps:\n\n| Step | Program | Example |\n|---|---|---|\n| small letters | `tr A-Z a-z` | release notes |\n| hyphens | `tr ' ' '-'` | release-notes |\n" +
	"| the end | `printf` | **release-notes** |\n\nIn Go it would be one function:\n\n```go\n// Slug is the title as it stands in a URL.\nfunc Slug(title string) string {\n\treturn strings.ReplaceAll(strings.ToLower(title), \" \", \"-\")\n}\n```\n"

const change = `{"path":"slug.sh","old_str":"tr ' ' '_'","new_str":"tr ' ' '-'"}`

func edit() modeltest.Reply { return call("Here it is, in line 4.", "edit", change) }

func scenes() []scene {
	return []scene{
		{name: "start", what: "The first frame: the input box and the status line"},
		{name: "answer", what: "An answer with a table and code", replies: []modeltest.Reply{answer(table)}, steps: []step{say("How do titles become URLs?", "tokens in")}},
		{
			name: "tool", what: "A command that runs, with its last lines of output", args: []string{"chat", "--allow-all"},
			replies: []modeltest.Reply{call("I run the test.", "bash", `{"command":"./test.sh","description":"Run the test","initial_wait":600}`)},
			steps:   []step{say("Does the test pass?", "sign_in", "test.sh · ", busy)},
		},
		{
			name: "permission", what: "A permission question with the change that it is about", high: 28, replies: []modeltest.Reply{edit()},
			steps: []step{say("Spaces should become hyphens.", "Allow", "stop the run", busy)},
		},
		{
			name: "question", what: "A question of the model with choices",
			replies: []modeltest.Reply{call("", "ask_user", `{"question":"What should become of characters that are no letters?","choices":["Remove them","Turn them into hyphens","Keep them"]}`)},
			steps:   []step{say("Make the slugs safe for every URL.", "Keep them", "waits for you · ", busy)},
		},
		{
			name: "queue", what: "Two queued messages while the agent works", replies: []modeltest.Reply{silence("I look at the script first, and at what the test expects of it.")},
			steps: []step{say("Explain slug.sh.", "expects of it"), say("And write a comment above each line.", "queued: And write"), say("Then run the test.", "queued: Then run", busy)},
		},
		{name: "files", what: "Completion of a file", steps: []step{keys([]string{"Compare @s"}, "slug.sh", "test.sh")}},
		{
			name: "sessions", what: "The list of sessions", before: []string{"Explain slug.sh.", "Why does the test fail?", "Write a README."},
			replies: []modeltest.Reply{{Text: "It turns a title into what stands in a URL.", Usage: used, Repeat: true}},
			steps:   []step{say("/sessions", "Write a README")},
		},
		{name: "help", what: "The help page", high: 30, steps: []step{keys([]string{"?"}, "Commands")}},
		{
			name: "diff", what: "The changes of the session", replies: []modeltest.Reply{edit(), answer("slug.sh now turns spaces into hyphens.")}, args: []string{"chat", "--allow-tool", "write"},
			steps: []step{say("Spaces should become hyphens.", "tokens in"), say("/diff", "modified")},
		},
		{
			name: "rewind", what: "Going back to an earlier message, with the files", args: []string{"chat", "--allow-tool", "write"},
			replies: []modeltest.Reply{edit(), answer("slug.sh now turns spaces into hyphens."), answer("It turns a title into what stands in a URL.")},
			steps:   []step{say("Spaces should become hyphens.", "tokens in"), say("Explain slug.sh.", "7.7k tokens"), say("/rewind", "Explain")},
		},
	}
}
