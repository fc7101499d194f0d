package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/chat"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// runWithTools is `sidestick run` in a session that another program has joined. That
// program brings the tools deploy, ask, which asks the user at the terminal, and fail.
func runWithTools(ctx context.Context, args []string, sys cli.System) int {
	cmd := chat.RunCommand(&cli.Options{Sys: sys}, bringTools)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(sys.Stderr, "sidestick: "+cli.Message(err))
	}
	return cli.ExitCode(err)
}

// bringTools joins a session as another program.
func bringTools(ctx context.Context, p *wiring.Parts, id string, peer session.Peer) (leave func(), err error) {
	c, hangUp := p.Dial()
	if err := c.Connect(ctx, ""); err != nil {
		return hangUp, err
	}
	_, err = c.ResumeSession(ctx, client.Config{
		ID: id, Params: map[string]any{"disableResume": true},
		Tools: []client.Tool{{
			Name: "deploy", Description: "Puts it into production.",
			Run: func(_ context.Context, args json.RawMessage) (string, error) { return "deployed " + string(args), nil },
		}, {
			Name: "ask", SkipPermission: true, Description: "Asks as ask_user does.",
			Run: func(ctx context.Context, args json.RawMessage) (string, error) {
				var in struct {
					Answer   string `json:"answer"`
					Freeform bool   `json:"wasFreeform"`
				}
				if err := peer.Call(ctx, "userInput.request", args, &in); err != nil {
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
