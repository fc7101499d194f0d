package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// MainWithTools is `sidestick run`, or `sidestick chat` without a prompt, in a session
// that a program has joined which brings two tools: deploy, and ask, which asks the
// person at the terminal. They make questions of what a scripted model calls.
func MainWithTools(ctx context.Context, args []string, sys System) int {
	o, which := &options{sys: sys}, &talkOptions{}
	cmd := &cobra.Command{Use: "withtools", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, args []string) error {
		return o.withTalk(cmd.Context(), which, newAnswer(sys), func(t *talk) error {
			leave, err := bringTools(ctx, t)
			if err != nil {
				return err
			}
			defer leave()
			return t.say(cmd.Context(), wire.Send{Prompt: args[0]})
		})
	}}
	which.talkFlags(o, cmd)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(sys.Stderr, "sidestick: "+complaint(err))
	}
	return exitCode(err)
}

// bringTools joins the session of t as another program.
func bringTools(ctx context.Context, t *talk) (leave func(), err error) {
	c, hangUp := t.parts.dial()
	if err := c.Connect(ctx, ""); err != nil {
		return hangUp, err
	}
	_, err = c.ResumeSession(ctx, client.Config{
		ID: t.client.Session().ID(), Params: map[string]any{"disableResume": true},
		Tools: []client.Tool{{
			Name: "deploy", Description: "Puts it into production.",
			Run: func(_ context.Context, args json.RawMessage) (string, error) { return "deployed " + string(args), nil },
		}, {
			Name: "ask", SkipPermission: true, Description: "Asks as ask_user does.",
			Run: func(ctx context.Context, args json.RawMessage) (string, error) {
				var in input
				if err := t.peer.Call(ctx, "userInput.request", args, &in); err != nil {
					return "", err
				}
				return fmt.Sprintf("answer %q, freeform %v", in.Answer, in.Freeform), nil
			},
		}, {
			Name: "fail", SkipPermission: true, Description: "Fails.",
			Run: func(context.Context, json.RawMessage) (string, error) { return "", errors.New("out of order") },
		}},
	})
	return hangUp, err
}
