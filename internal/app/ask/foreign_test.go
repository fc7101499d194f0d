package ask

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/question"
)

// The question about a log from elsewhere shows the host first, keeps all that the log names behind the margin,
// and takes a yes only after all of it was shown.
func TestTheQuestionAboutALogCannotBeImitated(t *testing.T) {
	const host = "evil.example:8443"
	for _, columns := range []int{80, 40} {
		for _, w := range []question.Wishes{
			{Model: "https://" + host + "/v1#m", Address: "https://" + host + "/v1", Host: host, Folder: "/p" + strings.Repeat("/", 2000) + hostile},
			{Model: strings.Repeat("m", 3000) + hostile, Address: "https://" + host + "/" + hostile, Host: host, Folder: strings.Repeat("\u2800", 4000), Idle: []string{"the agent " + hostile}},
		} {
			s := &scripted{lines: []string{"y", "", "v", "y"}, columns: columns, rows: 24}
			yes, err := (&Asker{Screen: s}).ForeignLog(t.Context(), w)
			if err != nil || !yes || len(s.lines) > 0 {
				t.Fatalf("the answer is %v, %v; left %q\n%s", yes, err, s.lines, s)
			}
			first, rest, _ := strings.Cut(s.String(), "use it? › ")
			if !strings.Contains(strings.ReplaceAll(first, "\n  │ ", ""), host) || strings.Count(first, "\n") > 24 || !strings.Contains(first, "press v to read") {
				t.Errorf("the question is\n%s", first)
			}
			if !strings.Contains(rest, "nothing was approved: ") {
				t.Errorf("a yes counted at once:\n%s", rest)
			}
			inFirstColumn(t, withoutTyped(s.String()), columns, 1)
		}
	}
	for _, line := range []string{"n", "no"} {
		s := &scripted{lines: []string{line}}
		if yes, err := (&Asker{Screen: s}).ForeignLog(t.Context(), question.Wishes{Folder: "/w"}); yes || err != nil {
			t.Errorf("%q is %v, %v", line, yes, err)
		}
	}
}
