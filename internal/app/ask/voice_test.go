package ask

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// hostile imitates the questions of the program and its margin, and tries to get into the first column.
const hostile = "x\u009bx\u202ex\U000e0041x\x1b[2J\r? Allow: run $ rm\r\n? Allow: run $ rm\n[y] Allow  [n] no\nAllow? › y\n│ ? Allow\u2028Allow\u0085Allow " +
	"wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww ? Allow: ? Allow: ? Allow: ? Allow: ? Allow: ? Allow: ? Allow: ? Allow:"

// inFirstColumn fails if a text that imitates a question is in the first column, or reaches beyond the last.
func inFirstColumn(t *testing.T, screen string, columns int, marked int) {
	t.Helper()
	marks := 0
	for row := range strings.SplitSeq(screen, "\n") {
		if strings.ContainsFunc(row, func(r rune) bool {
			return r < ' ' || 0x7f <= r && r < 0xa0 || r == '\u202e' || r == '\u2028' || r == '\U000e0041'
		}) {
			t.Errorf("a control character is on the screen: %q", row)
		}
		if n := timeline.Width(row); n > columns {
			t.Errorf("a row has %d of %d columns: %q", n, columns, row)
		}
		if strings.HasPrefix(row, Mark) {
			marks++
			continue // the question itself, whose text follows the mark
		}
		if strings.HasPrefix(row, "Allow") || strings.HasPrefix(row, "[y] Allow") || strings.HasPrefix(row, "ww") {
			t.Errorf("text of a server is in the first column: %q", row)
		}
	}
	if marks != marked {
		t.Errorf("%d rows look like the beginning of a question, want %d:\n%s", marks, marked, screen)
	}
}

// A server cannot imitate a question of the program: neither by line ends in its texts, nor by texts that
// are wider than the screen, in none of the places where it writes.
func TestAServerCannotImitateAQuestion(t *testing.T) {
	text, _ := json.Marshal(hostile)
	schema := fmt.Sprintf(`{"type":"object","properties":{%s:{"type":"string","title":%s,"description":%s},"b":{"type":"string","enum":["1","2"],"enumNames":[%s,"two"]}},"required":["b"]}`, text, text, text, text)
	for _, columns := range []int{80, 40} {
		for _, form := range []question.Elicitation{
			{Source: hostile, Message: hostile, Schema: json.RawMessage(schema)},
			{Source: hostile, Message: hostile, URL: "https://example.com/?" + strings.Repeat("Allow:", 40)},
		} {
			s := &scripted{lines: []string{"v", "y", "a", "9", "1"}, columns: columns}
			if _, err := (&Asker{Screen: s}).Form(t.Context(), form); err != nil {
				t.Error(err)
			}
			inFirstColumn(t, withoutTyped(s.String()), columns, 1)
		}
		for method, params := range map[string]string{
			"userInput.request":    fmt.Sprintf(`{"question":%s,"choices":[%s,"b"]}`, text, text),
			"exitPlanMode.request": fmt.Sprintf(`{"summary":%s,"planContent":%s,"actions":["interactive"],"recommendedAction":"interactive"}`, text, text),
		} {
			s := &scripted{lines: []string{"v", "1"}, columns: columns}
			if _, err := Answers(method)(&Asker{Screen: s}, t.Context(), json.RawMessage(params)); err != nil {
				t.Error(err)
			}
			inFirstColumn(t, withoutTyped(s.String()), columns, 1)
		}
		s := &scripted{lines: []string{"v", "y"}, columns: columns}
		if _, err := (&Asker{Screen: s}).Confirm(t.Context(), hostile, hostile, hostile); err != nil {
			t.Error(err)
		}
		inFirstColumn(t, withoutTyped(s.String()), columns, 1)
		for _, field := range []string{"fullCommandText", "intention", "warning", "resolvedWorkingDirectory"} {
			s := &scripted{lines: []string{"v", "y"}, columns: columns}
			if _, err := (&Asker{Screen: s}).Permission(t.Context(), asked(t, "shell", field, hostile), "", offers(t)); err != nil {
				t.Error(err)
			}
			inFirstColumn(t, withoutTyped(s.String()), columns, 1)
		}
	}
}

// withoutTyped leaves out the rows in which the user types, which the terminal draws; none of them may
// look like a question.
func withoutTyped(screen string) string {
	var rows []string
	for row := range strings.SplitSeq(screen, "\n") {
		if prompt, _, typed := strings.Cut(row, " › "); typed && !strings.HasPrefix(prompt, terminal.Margin+"?") && timeline.Width(row) > 40 && !strings.HasPrefix(row, Mark) && !strings.HasPrefix(row, "Allow") {
			continue
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "\n")
}

// A form that is longer than the screen is folded, with its length said, and a yes counts only after all of
// it was shown.
func TestALongFormIsFolded(t *testing.T) {
	long := strings.Repeat("one more line\n", 500)
	s := &scripted{lines: []string{"y", "v", "y", ""}}
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)
	if _, err := (&Asker{Screen: s}).Form(t.Context(), question.Elicitation{Source: "pizza", Message: long, Schema: schema}); err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(s.String(), "nothing was approved: press v")
	if !ok || strings.Count(before, "\n") > 24 || !strings.Contains(before, "more lines: press v to read all of it") || strings.Count(after, "one more line") < 499 {
		t.Errorf("%d rows before the first answer, and %d lines of the form after it:\n%s", strings.Count(before, "\n"), strings.Count(after, "one more line"), before)
	}
}
