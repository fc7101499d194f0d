package export

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// events yields lines of a log, and then an error if there is one.
func events(err error, lines ...string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield([]byte(l), nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

var talk = []string{
	`{"type":"user.message","data":{"content":"Run <b>it</b>."}}`,
	`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"echo` + " `x`" + `"}}}`,
	`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"` + "```\\n</details><script>alert(1)</script>" + `\n<exited with exit code 0>"}}}`,
	`not an event`,
	`{"type":"assistant.message","agentId":"a","data":{"content":"of a sub-agent"}}`,
	`{"type":"assistant.message","data":{"content":"Done.\u001b[31m"}}`,
}

// The output of a tool stays in its block of code: its own fences are shorter than that of the block.
func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, "markdown", "A # title\nof two lines", events(nil, talk...)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"# A # title of two lines\n", "\n## User\n\nRun <b>it</b>.\n", "**Tool:** `` $ echo `x` ``", "\n````\n```\n</details><script>", "\n````\n\n</details>\n", "\n## Agent\n\nDone.\uFFFD[31m\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document has no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "sub-agent") || strings.Contains(text, "\x1b") {
		t.Errorf("the document has what it must not have:\n%s", text)
	}
}

// Nothing that was said becomes markup of the page.
func TestHTML(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, "html", "<title>", events(nil, talk...)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "<script") || strings.Contains(text, "<b>") || strings.Contains(text, "\x1b") || strings.Count(text, "</details>") != 1 {
		t.Errorf("the page has markup of a message:\n%s", text)
	}
	for _, want := range []string{"<h1>&lt;title&gt;</h1>", "<pre>Run &lt;b&gt;it&lt;/b&gt;.</pre>", "&lt;script&gt;alert(1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
}

func TestJSONIsTheLog(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, "json", "", events(nil, talk...)); err != nil || b.String() != strings.Join(talk, "\n")+"\n" {
		t.Errorf("Write = %v: %s", err, b.String())
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, format := range Formats {
		if err := Write(&strings.Builder{}, format, "", events(broken, talk...)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if err := Write(&strings.Builder{}, "pdf", "", events(nil)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an unknown format: %v", err)
	}
	for path, want := range map[string]string{"a.MD": "markdown", "b.html": "html", "c.jsonl": "json", "d": "", "e.doc": ""} {
		if got := FormatOf(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
