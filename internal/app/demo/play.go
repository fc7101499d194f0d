package demo

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// play is the demo from beginning to end.
func (d *demo) play(ctx context.Context) error {
	d.show.say(d.opening())
	d.step = "the first client worked"
	if err := d.first(ctx); err != nil {
		return err
	}
	d.step = "the second client worked"
	if err := d.second(ctx); err != nil {
		return err
	}
	d.step = "the log was counted"
	return d.closing()
}

// first is a program that works with the model and is then killed.
func (d *demo) first(ctx context.Context) error {
	d.show.say(d.scene("A client connects, and asks. What acts needs its yes."))
	c, hangUp := d.parts.Dial()
	defer hangUp()
	if err := c.Connect(ctx, ""); err != nil {
		return err
	}
	s, err := c.CreateSession(ctx, d.config())
	if err != nil {
		return err
	}
	if err := d.ask(ctx, c, s, firstPrompt, "autopilot"); err != nil {
		return err
	}
	return d.look()
}

// look shows that the tools have really acted.
func (d *demo) look() error {
	text, err := os.ReadFile(filepath.Join(d.project(), "slug.sh"))
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	d.show.act(act{"slug.sh now", lines[len(lines)-1], time.Now()})
	return nil
}

// second is another program, later, that goes on with the same session.
func (d *demo) second(ctx context.Context) error {
	d.show.say(d.scene("The client is killed. Another one resumes the session from its log."))
	c, hangUp := d.parts.Dial()
	defer hangUp()
	if err := c.Connect(ctx, ""); err != nil {
		return err
	}
	s, err := c.ResumeSession(ctx, d.config())
	if err != nil {
		return err
	}
	if err := d.follow(ctx, s, "session.resume"); err != nil {
		return err
	}
	if err := d.recall(ctx, c); err != nil {
		return err
	}
	return d.ask(ctx, c, s, secondPrompt, "interactive")
}

// config is how either client enters the session: pieces of the answer as they
// come, and somebody who answers questions.
func (d *demo) config() client.Config {
	return client.Config{
		ID: demoSession, Params: map[string]any{"streaming": true, "workingDirectory": d.project()},
		Permit: func(ctx context.Context, _ json.RawMessage) client.Decision {
			d.tell(ctx, "the client, for you", "says yes, once")
			return client.ApproveOnce
		},
	}
}

// tell hands an act to the goroutine that prints, which shows it after the event
// that it answers.
func (d *demo) tell(ctx context.Context, who, what string) {
	select {
	case d.acts <- act{who, what, time.Now()}:
	case <-ctx.Done():
	}
}

// ask sends a prompt and shows the events until the session is idle.
func (d *demo) ask(ctx context.Context, c *client.Client, s *client.Session, prompt, mode string) error {
	message := map[string]any{"sessionId": s.ID, "prompt": prompt, "agentMode": mode}
	if err := c.Call(ctx, "session.send", message, nil); err != nil {
		return err
	}
	return d.follow(ctx, s, "session.idle")
}

// follow shows the events up to the first of a type, and what the client does
// about them.
func (d *demo) follow(ctx context.Context, s *client.Session, last wire.EventType) error {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		d.show.event(e)
		switch e.Type {
		case last:
			return nil
		case "session.error":
			return errors.New(timeline.Brief(e))
		case "permission.requested":
			d.asked++
			d.witness(ctx)
		case "tool.execution_complete":
			d.tools++
		}
	}
}

// witness waits for what the client does about the event shown last.
func (d *demo) witness(ctx context.Context) {
	select {
	case a := <-d.acts:
		d.show.act(a)
	case <-ctx.Done():
	}
}
