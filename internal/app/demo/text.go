package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// opening explains the demo.
func (d *demo) opening() string {
	url, _ := d.model.Listen() // listens already
	bold := d.show.look.Bold
	return fmt.Sprintf(`%s

%s its answers were written in advance, and come from a
provider on this machine. Everything else is real: the server, the protocol, the
loop, the tools, the permission requests and the log.

  model   %s/v1
  folder  %s
  log     %s

Each row is an event: its time (s), its type and its content. A dot marks
ephemeral events, which are sent but not stored; all others are in the log
before they are sent.
`, bold("Sidestick demo"), bold("The model is scripted:"), url, d.project(),
		filepath.Join(d.dir, "home", "session-state", demoSession, "events.jsonl"))
}

func (d *demo) scene(title string) string { return "\n" + d.show.look.Bold(title) + "\n\n" }

// recall prints the conversation as the second client reads it.
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
	d.show.act(act{"the client", fmt.Sprintf("reads back %d events, among them:", len(back.Events)), now()})
	who := map[wire.EventType]string{"user.message": "  you", "assistant.message": "  the model", "tool.execution_complete": "  a tool"}
	for _, e := range back.Events {
		if text := timeline.Brief(wire.Event{Header: wire.Header{Type: e.Type}, Data: e.Data}); who[e.Type] != "" && text != "" {
			d.show.act(act{who[e.Type], text, now()})
		}
	}
	return nil
}

// closing stops the server and prints what the log holds.
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
The log holds %d events in %s bytes, one JSON object a line; a kill -9 at any moment would have lost none of them.
%d more events were ephemeral. The folder is removed now.`, len(d.model.Requests()), d.tools, d.asked, events, timeline.Count(int64(bytes)), d.show.told)
	d.show.say(d.scene("What you saw") + cli.Indented("  ", saw) + d.scene("Next steps") +
		`  sidestick demo model                         chat with this model yourself
  sidestick doctor                             check the configuration
  sidestick run "Why does the test fail?"      an agent in your folder
  export COPILOT_CLI_PATH=$(which sidestick)   your SDK program, on this runtime
`)
	return nil
}
