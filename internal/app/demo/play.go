package demo

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

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

// first is a client that sends a prompt and is then killed.
func (d *demo) first(ctx context.Context) error {
	d.show.say(d.scene("A client connects and sends a prompt. It approves what the tools do."))
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
	return d.showFile()
}

// showFile prints the last line of the file that the tools have changed.
func (d *demo) showFile() error {
	text, err := os.ReadFile(filepath.Join(d.project(), "slug.sh"))
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	d.show.act(act{"slug.sh now", lines[len(lines)-1], now()})
	return nil
}

// second is another client, which continues the session later.
func (d *demo) second(ctx context.Context) error {
	d.show.say(d.scene("The client is killed. Another client resumes the session from its log."))
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

// config is how either client enters the session: with a streaming answer, and with an
// answer to permission requests.
func (d *demo) config() client.Config {
	return client.Config{
		ID: demoSession, Params: map[string]any{"streaming": true, "workingDirectory": d.project()},
		Permit: func(ctx context.Context, _ json.RawMessage) client.Decision {
			d.showAct(ctx, "the client, for you", "says yes, once")
			return client.ApproveOnce
		},
	}
}

// showAct passes an act to the goroutine that prints, which prints it after the event that it
// answers.
func (d *demo) showAct(ctx context.Context, who, what string) {
	select {
	case d.acts <- act{who, what, now()}:
	case <-ctx.Done():
	}
}

// ask sends a prompt and prints the events until the session is idle.
func (d *demo) ask(ctx context.Context, c *client.Client, s *client.Session, prompt, mode string) error {
	message := map[string]any{"sessionId": s.ID, "prompt": prompt, "agentMode": mode}
	if err := c.Call(ctx, "session.send", message, nil); err != nil {
		return err
	}
	return d.follow(ctx, s, "session.idle")
}

// follow prints the events up to the first of a type, and how the client answers them.
func (d *demo) follow(ctx context.Context, s *client.Session, last wire.EventType) error {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		d.show.event(e)
		switch {
		case d.show.err != nil: // nobody sees the rest
			return d.show.err
		case e.Type == last:
			return nil
		}
		switch e.Type {
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

// witness waits for the client's answer to the last event.
func (d *demo) witness(ctx context.Context) {
	select {
	case a := <-d.acts:
		d.show.act(a)
	case <-ctx.Done():
	}
}
