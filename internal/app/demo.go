package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func demoCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See it work, event by event; needs no key",
		Long: `See it work, event by event, in a few seconds. It needs no key and no network: a
scripted model plays against the real server, wire, loop and log in a scratch
folder. Nothing of your configuration is read, and nothing is left behind.`,
		Example: `  sidestick demo
  sidestick demo | less`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.demo(cmd.Context()) },
	}
}

// demoWait bounds the demo, which takes about 3 seconds: it must never hang.
const demoWait = 30 * time.Second

func (o *options) demo(ctx context.Context) (err error) {
	bounded, cancel := context.WithTimeout(ctx, demoWait)
	defer cancel()
	d, err := newDemo(o.sys)
	if err != nil {
		return fmt.Errorf("the demo cannot begin: %w", err)
	}
	defer func() { err = errors.Join(err, d.end()) }()
	err = d.play(bounded)
	switch {
	case ctx.Err() != nil:
		return errAborted
	case bounded.Err() != nil:
		return fmt.Errorf("the demo did not end within %v; it stopped while %s", demoWait, d.step)
	case err != nil:
		return fmt.Errorf("the demo failed while %s: %w", d.step, err)
	}
	return d.show.err
}

// demo is one performance.
type demo struct {
	dir   string
	model *modeltest.Server
	parts *parts
	show  *timeline
	acts  chan act // from the client's goroutines to the one that prints
	step  string   // what is going on, for a failure
}

// act is what somebody does, as opposed to what a client is told.
type act struct {
	who, what string
	when      time.Time
}

// demoSession is the id of the session; a program may choose its own.
const demoSession = "demo"

// newDemo builds the program as any other, on the configuration of an environment
// that names the scratch folder and the scripted model and nothing else.
func newDemo(sys System) (*demo, error) {
	d := &demo{model: demoModel(), acts: make(chan act)}
	d.show = &timeline{out: sys.Stdout, look: paintFor(sys.Stdout, sys.Getenv), begin: time.Now()}
	var err error
	if d.dir, err = os.MkdirTemp("", "sidestick-demo-"); err != nil {
		return nil, err
	}
	if err := d.build(sys); err != nil {
		return nil, errors.Join(err, d.end())
	}
	return d, nil
}

func (d *demo) build(sys System) error {
	if err := os.WriteFile(filepath.Join(d.dir, "todo.txt"), []byte(todoList), 0o600); err != nil {
		return err
	}
	url, err := d.model.Listen()
	if err != nil {
		return err
	}
	env := map[string]string{
		"SIDESTICK_HOME": d.dir, "SIDESTICK_BASE_URL": url + "/v1", "SIDESTICK_MODEL": "scripted",
	}
	cfg, err := config.Load(config.Flags{}, func(name string) string { return env[name] }, "")
	if err != nil {
		return err
	}
	d.parts, err = build(cfg, sys)
	return err
}

// end gives everything back. The log is gone with the folder.
func (d *demo) end() error {
	var err error
	if d.parts != nil {
		err = d.parts.close()
	}
	d.model.Close()
	return errors.Join(err, os.RemoveAll(d.dir))
}

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
	d.show.say(d.scene("A client connects, brings two tools, and asks."))
	c, hangUp := d.parts.dial()
	defer hangUp()
	if err := c.Connect(ctx, ""); err != nil {
		return err
	}
	s, err := c.CreateSession(ctx, d.config())
	if err != nil {
		return err
	}
	if err := d.ask(ctx, s, firstPrompt); err != nil {
		return err
	}
	return d.look()
}

// look shows that the tool has really acted.
func (d *demo) look() error {
	text, err := os.ReadFile(filepath.Join(d.dir, "todo.txt"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		d.show.act(act{"todo.txt now", line, time.Now()})
	}
	return nil
}

// second is another program, later, that goes on with the same session.
func (d *demo) second(ctx context.Context) error {
	d.show.say(d.scene("The client is killed. Another one resumes the session from its log."))
	c, hangUp := d.parts.dial()
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
	return d.ask(ctx, s, secondPrompt)
}

// config is how either client enters the session: pieces of the answer as they
// come, its tools, and somebody who answers questions.
func (d *demo) config() client.Config {
	return client.Config{
		ID: demoSession, Params: map[string]any{"streaming": true, "workingDirectory": d.dir},
		Tools: todoTools(d.dir, func(ctx context.Context, what string) { d.tell(ctx, "the client's tool", what) }),
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
func (d *demo) ask(ctx context.Context, s *client.Session, prompt string) error {
	if _, err := s.Send(ctx, prompt); err != nil {
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
			return errors.New(read(e).Message)
		case "permission.requested", "external_tool.requested":
			select {
			case a := <-d.acts:
				d.show.act(a)
			case <-ctx.Done():
			}
		}
	}
}
