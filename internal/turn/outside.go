package turn

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// outside asks the user whether a call that the sandbox has stopped may run again outside of
// it, and does that after a yes. Nothing runs a second time without one: the first run may
// have had a part of its effect. After any other answer, the first result stands. Hooks have
// seen the call before, and are not called again.
func (t *turn) outside(ctx context.Context, tl tool.Tool, c tool.Call, first tool.Result) tool.Result {
	q := *c.Permitted
	q.Bypass = first.StoppedBy
	c.Permitted, c.Hook, c.Sandbox = &q, "", nil
	answer := t.host.Ask(ctx, &q, &c)
	switch answer.Outcome {
	case permit.Approved:
		second := t.taped(tl, c, func() tool.Result { return RunTool(ctx, tl, c) })
		second.Text = withLine(first.Text, tool.SecondRun) + "\n" + second.Text
		return second
	case permit.Rejected:
		line := "<the user did not allow it to run outside the sandbox"
		if answer.Feedback != "" {
			line += "; their reason: " + answer.Feedback
		}
		first.Text = withLine(first.Text, line+">")
	}
	return first
}

// withLine adds a line to a text.
func withLine(text, line string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line
}
