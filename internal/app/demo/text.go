package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// opening says what is played and what is not.
func (d *demo) opening() string {
	url, _ := d.model.Listen() // listens already
	bold := d.show.look.Bold
	return fmt.Sprintf(`%s

%s it plays answers that were written beforehand, from a
provider on this machine. Everything else is real: server, wire, loop, tools, the
question before one of them acts, and the log.

  model   %s/v1
  folder  %s
  log     %s

Each row is an event: when (s), which, what is in it. A dot marks those that are
told to who listens and not kept; all others are in the log before anyone is
told.
`, bold("Sidestick demo"), bold("The model is scripted:"), url, d.project(),
		filepath.Join("..", "home", "session-state", demoSession, "events.jsonl"))
}

func (d *demo) scene(title string) string { return "\n" + d.show.look.Bold(title) + "\n\n" }

// recall shows what the session still knows, as a client reads it back.
func (d *demo) recall(ctx context.Context, c *client.Client) error {
	var back struct {
		Events []struct {
			Type wire.EventType
			Data json.RawMessage
		}
	}
	if err := c.Call(ctx, "session.getMessages", map[string]any{"sessionId": demoSession}, &back); err != nil {
		return err
	}
	d.show.act(act{"the client", fmt.Sprintf("reads back %d events, among them:", len(back.Events)), time.Now()})
	who := map[wire.EventType]string{"user.message": "  you", "assistant.message": "  the model", "tool.execution_complete": "  a tool"}
	for _, e := range back.Events {
		if text := timeline.Brief(wire.Event{Header: wire.Header{Type: e.Type}, Data: e.Data}); who[e.Type] != "" && text != "" {
			d.show.act(act{who[e.Type], text, time.Now()})
		}
	}
	return nil
}

// closing stops the server and counts what is left of it all.
func (d *demo) closing() error {
	p := d.parts
	d.parts = nil
	if err := p.Close(); err != nil {
		return err
	}
	events, bytes := 0, 0
	for e, err := range p.Sessions.History(context.Background(), demoSession) {
		if err != nil {
			return err
		}
		events, bytes = events+1, bytes+len(e)+1
	}
	saw := fmt.Sprintf(`One session, two clients, %d model calls, %d tool calls, %d questions.
The log holds %d events in %s bytes, one JSON object a line; it would have survived kill -9 at any byte.
%d more events were told and not kept. The folder is removed now.`, len(d.model.Requests()), d.tools, d.asked, events, timeline.Count(int64(bytes)), d.show.told)
	d.show.say(d.scene("What you saw") + cli.Indented("  ", saw) + d.scene("Next steps") +
		`  sidestick demo model                         the same, at your own terminal
  sidestick doctor                             what is set, what is missing
  sidestick run "Why does the test fail?"      an agent in your folder
  export COPILOT_CLI_PATH=$(which sidestick)   your SDK program, on this runtime
`)
	return nil
}
