package prompt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// said is a message of a person, with the time before it as it is sent.
func said(text string) prompt.Item {
	m := prompt.User(text, nil, prompt.UserOptions{Now: time.Now()})
	return prompt.Item{Message: user(m.Text), Said: text}
}

func answer(text string, calls ...string) prompt.Item {
	m := assistant(text)
	for _, id := range calls {
		m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: id, Name: "view", Arguments: `{"path":"/a"}`})
	}
	return prompt.Item{Message: m}
}

func result(id, text string) prompt.Item {
	return prompt.Item{Message: model.Message{Role: model.RoleTool, ToolCallID: id, Content: text}}
}

func messages(items []prompt.Item) []model.Message {
	var out []model.Message
	for _, it := range items {
		out = append(out, it.Message)
	}
	return out
}

func TestCompactionMatchesTheRecording(t *testing.T) {
	const recording = "compaction/should_trigger_compaction_with_low_threshold_and_emit_events"
	one, two := said("Tell me a story about a dragon. Be detailed."), said("Continue the story with more details about the dragon's castle.")
	items := []prompt.Item{one}
	items = append(items, answer(answered(t, recording, "", messages(items)...)), two)
	c, err := prompt.NewCompaction(items, prompt.CompactOptions{Focus: "x", Window: 128_000})
	if err != nil || c.Cut != 3 || c.LeftOut != 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	summary := answered(t, recording, "", c.Request...)
	if got := prompt.ParseSummary(summary).Title; got != "Dragon storytelling creative writing" {
		t.Errorf("title %q", got)
	}
	items, err = c.Apply(items, summary)
	if err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	items = append(items, answer(answered(t, recording, "", messages(items)...)), said("Now describe the dragon's treasure in great detail."))
	answered(t, recording, "", messages(items)...)
}

func TestWhatIsSummarizedAndWhatStays(t *testing.T) {
	items := []prompt.Item{said("one"), answer("", "a"), result("a", "A"), said("two"), answer("x", "a", "b"), result("a", "A")}
	c, err := prompt.NewCompaction(items, prompt.CompactOptions{System: "SYS"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Cut != 4 || len(c.Request) != 6 || c.Request[0].Content != "SYS" ||
		!strings.HasPrefix(c.Request[5].Content, "Please create a detailed summary of the conversation so far. The history is being compacted") {
		t.Fatalf("cut at %d, request %+v", c.Cut, c.Request)
	}
	got, err := c.Apply(append(items, result("b", "B"), said("three")), "<overview>\nO\n</overview>\n")
	if err != nil {
		t.Fatal(err)
	}
	want := "Some of the conversation history has been summarized to free up context.\n\n" +
		"You were originally given instructions from a user over one or more turns. Here were the user messages:\n" +
		"<user_message>\none\n</user_message>\n<user_message>\ntwo\n</user_message>\n\n" +
		"Here is a summary of the prior context:\n<summary>\n<overview>\nO\n</overview>\n</summary>"
	if diff := cmp.Diff(want, got[0].Content); diff != "" {
		t.Error(diff)
	}
	if len(got) != 5 || got[1].Content != "x" || got[4].Said != "three" {
		t.Errorf("the rest is %+v", got[1:])
	}
	again, err := prompt.NewCompaction(got, prompt.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err = again.Apply(got, "S")
	if err != nil || len(got) != 1 || !strings.Contains(got[0].Content, "one\n</user_message>\n<user_message>\ntwo\n</user_message>\n<user_message>\nthree\n</user_message>") {
		t.Errorf("the second time %v: %+v", err, got)
	}
	if same, err := c.Apply(items, " \n"); err == nil || len(same) != len(items) {
		t.Errorf("an empty answer: %v, %d items", err, len(same))
	}
	for name, items := range map[string][]prompt.Item{"nothing": nil, "a question": {said("x")}, "an open call": {said("x"), answer("", "a")}} {
		if _, err := prompt.NewCompaction(items, prompt.CompactOptions{}); err == nil {
			t.Errorf("%s was to be summarized", name)
		}
	}
}

func TestARequestForASummaryFitsTheWindow(t *testing.T) {
	big := strings.Repeat("x", 40_000)
	items := []prompt.Item{said("one"), answer("", "a"), result("a", big), answer("", "b"), result("b", big), answer(big), said("two")}
	c, err := prompt.NewCompaction(items, prompt.CompactOptions{Window: 200_000})
	if err != nil || cmp.Diff(messages(items), c.Request[:len(items)]) != "" {
		t.Errorf("what fits was made shorter, or %v", err)
	}
	c, err = prompt.NewCompaction(items, prompt.CompactOptions{Window: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	if n := prompt.Measure(c.Request, nil, 4).Total(); n > 17_500 || c.LeftOut != 0 {
		t.Errorf("%d tokens, %d left out", n, c.LeftOut)
	}
	c, err = prompt.NewCompaction(items, prompt.CompactOptions{Window: 10_000})
	last := c.Request[len(c.Request)-1].Content
	if err != nil || c.LeftOut != 6 || !strings.HasSuffix(last, "The first 6 messages are missing here, because there is no room for them.") {
		t.Errorf("%d left out, %v: %s", c.LeftOut, err, last)
	}
	if c.Cut != 7 {
		t.Errorf("cut at %d: what is left out of the request is summarized away all the same", c.Cut)
	}
	shown := []prompt.Item{said("one"), {Message: user("", model.Part{Text: "look"}, model.Part{Text: "p.png"}, model.Part{ImageURL: "data:"}), Said: "look"}, answer(strings.Repeat("x", 7000))}
	c, err = prompt.NewCompaction(shown, prompt.CompactOptions{Window: 3500})
	if err != nil || c.LeftOut != 0 || len(c.Request) != 4 || !strings.Contains(c.Request[1].Parts[1].Text, "p.png") {
		t.Errorf("a picture that has no room: %v, %+v", err, c)
	}
	tight := []prompt.Item{answer(strings.Repeat("x", 36_000), "a"), result("a", "r"), said("two"), answer("x")}
	c, err = prompt.NewCompaction(tight, prompt.CompactOptions{Window: 10_000})
	if err != nil || c.LeftOut != 2 {
		t.Errorf("%v, left out %d, want a call with its result, to leave room for the answer", err, c.LeftOut)
	}
	if _, err := prompt.NewCompaction(items, prompt.CompactOptions{Window: 100}); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("no room at all: %v", err)
	}
}

func TestWhatPeopleWroteIsKept(t *testing.T) {
	long := "BEGIN" + strings.Repeat("é", 100_000) + "END"
	got := prompt.KeptMessages([]string{"first", long, "middle", long}, 0)
	if len(got) != 4 || got[0] != "first" || got[2] != "middle" || got[3] != long {
		t.Errorf("lengths %d %d %d, want the last whole", len(got[0]), len(got[1]), len(got[3]))
	}
	if len(got[1]) > 400 || !strings.HasPrefix(got[1], "BEGIN") || !strings.HasSuffix(got[1], "END") || !utf8.ValidString(got[1]) {
		t.Errorf("the long one is %q", got[1])
	}
	if got := prompt.KeptMessages([]string{long}, 10_000); len(got[0]) > 20_100 || !strings.HasSuffix(got[0], "END") {
		t.Errorf("in a small window the last has %d bytes", len(got[0]))
	}
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprint(i)+strings.Repeat("y", 5000))
	}
	got = prompt.KeptMessages(many, 0)
	total := len(strings.Join(got, ""))
	if total > 100<<10 || got[len(got)-1] != many[499] || got[0] != "[436 earlier messages are left out.]" {
		t.Errorf("%d bytes in %d messages, first %.60q", total, len(got), got[0])
	}
	if prompt.KeptMessages(nil, 5) != nil {
		t.Error("nothing said, something kept")
	}
}

func TestTrim(t *testing.T) {
	big := strings.Repeat("z", 3000)
	items := []prompt.Item{said("x"), answer("", "a", "b"), result("a", big), result("b", "Output too large. Saved to: /s/temp/1.txt\n"+big), answer("", "a"), result("a", "small")}
	items[3].Exit = new(3)
	for range 4 {
		items = append(items, answer("", "a"), result("a", big))
	}
	before := cmp.Diff(nil, messages(items))
	got, freed := prompt.Trim(items)
	want := []string{
		`[The output of view {"path":"/a"} (2.9 KB) was taken out to make room. Call the tool again if you need it.]`,
		`[The output of view {"path":"/a"} (3.0 KB) was taken out to make room. The command exited with exit code 3. All of it is in /s/temp/1.txt]`,
	}
	if diff := cmp.Diff(want, []string{got[2].Content, got[3].Content}); diff != "" {
		t.Error(diff)
	}
	if freed < 5500 || freed > 6000 || cmp.Diff(nil, messages(items)) != before {
		t.Errorf("freed %d, or the conversation was changed in place", freed)
	}
	for i := 5; i < len(items); i++ {
		if got[i].Content != items[i].Content {
			t.Errorf("item %d was trimmed", i)
		}
	}
	if again, freed := prompt.Trim(got); freed != 0 || &again[0] != &got[0] {
		t.Errorf("trimmed again, it freed %d", freed)
	}
}

func TestMeasure(t *testing.T) {
	m := []model.Message{
		{Role: model.RoleSystem, Content: "12345678"},
		user("ignored", model.Part{Text: "1234"}, model.Part{ImageURL: strings.Repeat("x", 100_000)}),
		answer("1234", "a").Message,
	}
	got := prompt.Measure(m, []model.Tool{{Name: "ab", Description: "cd", Parameters: []byte("1234")}}, 2)
	if want := (prompt.Size{System: 4, Tools: 4, Conversation: 1613}); got != want || got.Total() != 1621 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := prompt.Measure(m[:1], nil, 0); got.System != 2 {
		t.Errorf("without a ratio %+v", got)
	}
}

func TestSummariesAreReadAsTheyCome(t *testing.T) {
	for _, tc := range []struct{ answer, text, title string }{
		{"<overview>\nO here\n</overview>\n<checkpoint_title>A  b</checkpoint_title>\n", "<overview>\nO here\n</overview>\n<checkpoint_title>A  b</checkpoint_title>", "A b"},
		{"<overview>\nO here\nmore", "<overview>\nO here\nmore", "O here"},
		{"<summary>\nplain\n</summary>", "plain", "Checkpoint"},
		{" \n", "", "Checkpoint"},
		{"<checkpoint_title>", "<checkpoint_title>", "Checkpoint"},
	} {
		if got := prompt.ParseSummary(tc.answer); got.Text != tc.text || got.Title != tc.title {
			t.Errorf("%q: %+v", tc.answer, got)
		}
	}
}

// FuzzCompaction reads its bytes as a conversation and holds what a compaction
// promises of any.
func FuzzCompaction(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0, 7, 8, 9, 30, 31}, int64(500))
	f.Add([]byte{0, 1, 0}, int64(0))
	f.Add([]byte{0, 101, 102, 201, 202, 0, 1, 100, 200, 255}, int64(3000))
	f.Fuzz(func(t *testing.T, script []byte, window int64) {
		items := conversation(script[:min(len(script), 200)])
		c, err := prompt.NewCompaction(items, prompt.CompactOptions{Window: window, System: "s"})
		if err != nil {
			return
		}
		paired(t, messages(items[c.Cut:]))
		paired(t, c.Request)
		if n := prompt.Measure(c.Request, nil, 4).Total(); window > 1000 && n > window {
			t.Errorf("a request of %d tokens for a window of %d", n, window)
		}
		after, err := c.Apply(items, "SUMMARY")
		if err != nil {
			t.Fatal(err)
		}
		paired(t, messages(after))
		last := ""
		for _, it := range items {
			if it.Said != "" {
				last = it.Said
			}
		}
		found := false
		for _, it := range after {
			found = found || it.Said == last || strings.Contains(it.Content, "<user_message>\n"+last+"\n</user_message>")
		}
		if window <= 0 && !found {
			t.Errorf("the last message is gone: %q", last)
		}
		was, is := prompt.Measure(messages(items), nil, 4).Total(), prompt.Measure(messages(after), nil, 4).Total()
		if is >= was && prompt.LittleFreed(was, is) == "" {
			t.Errorf("%d tokens became %d, and nobody says so", was, is)
		}
		trimmed, freed := prompt.Trim(items)
		paired(t, messages(trimmed))
		if left := prompt.Measure(messages(trimmed), nil, 1).Total() + freed; left != prompt.Measure(messages(items), nil, 1).Total() {
			t.Errorf("freed %d is not what went", freed)
		}
	})
}

// conversation is one that a session could have: every call has its result, but for
// those of the last message.
func conversation(script []byte) []prompt.Item {
	items := []prompt.Item{said("start")}
	for i, b := range script {
		size := int(b) * int(b) / 8
		switch b % 3 {
		case 0:
			items = append(items, said(fmt.Sprint("say ", i, strings.Repeat("s", size))))
		case 1:
			items = append(items, answer(strings.Repeat("t", size+1)))
		case 2:
			items = append(items, answer("", "a", "b"), result("b", strings.Repeat("r", size)))
			if i < len(script)-1 || b%2 == 0 {
				items = append(items, result("a", "r"))
			}
		}
	}
	return items
}

// paired fails unless every call has its result right after it and no result is
// without its call. Calls of the last message may be open.
func paired(t *testing.T, list []model.Message) {
	t.Helper()
	open, last := map[string]bool{}, 0
	for i, m := range list {
		if m.Role == model.RoleTool {
			if !open[m.ToolCallID] {
				t.Errorf("message %d is a result without its call", i)
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			t.Errorf("message %d comes before the results of message %d", i, last)
		}
		clear(open)
		last = i
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
}
