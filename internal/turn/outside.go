package turn

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// again asks the user whether a call that the sandbox has stopped may run again: outside of it or, if it
// was only tried in the sandbox for reading, where it would have run with an approval. It runs
// after a yes. Nothing runs a second time without one: the first run may
// have had a part of its effect. After any other answer, the first result stands. Hooks have
// seen the call before, and are not called again.
func (t *turn) again(ctx context.Context, tl tool.Tool, c tool.Call, first tool.Result) tool.Result {
	q := *c.Permitted
	tried := c.Tries
	if tried {
		q.Again = first.StoppedBy
	} else {
		q.Bypass = first.StoppedBy
	}
	c.Permitted, c.Hook, c.Sandbox, c.Tries = &q, "", nil, false
	answer := t.host.Ask(ctx, &q, &c)
	switch answer.Outcome {
	case permit.Approved:
		if tried {
			c.Sandbox = answer.Sandbox
		}
		second := t.taped(tl, c, func() tool.Result { return RunTool(ctx, tl, c) })
		if tried && second.StoppedBy != "" && ctx.Err() == nil {
			q.Again = ""
			second = t.again(ctx, tl, c, second)
		}
		line := tool.SecondRun
		if c.Sandbox != nil {
			line = tool.SecondRunInside
		}
		second.Text = withLine(first.Text, line) + "\n" + second.Text
		return second
	case permit.Rejected:
		line := "<the user did not allow it to run outside the sandbox"
		if tried {
			line = "<the user did not allow it to run a second time, with more rights"
		}
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
