package agentcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

// checkMessage is the message to the agent unless --message gives another.
const checkMessage = "Hello! What can you do?"

// checkTimeout is how long an answer may take. Source: docs/extensions.md, "Bounds":
// editors gave up after about a minute.
const checkTimeout = time.Minute

func checkCommand(o *cli.Options) *cobra.Command {
	c := &agentCheck{}
	cmd := &cobra.Command{
		Use:   "check URL",
		Short: "Check an agent's answer against every rule of the protocol",
		Long: `Send an agent a request that is signed with Sidestick's key, and check its
answer against every rule of the protocol, even those that most clients ignore.
Then check how soon it answers, whether it answers GET, and whether it refuses a
request that is not signed, or that is signed for another body. An answer of
copilot_errors alone is a refusal.

The exit code is 1 if there is an error, else 0. An error means that at least
one known client refuses the answer or shows only a part of it. A warning means
that something is wrong, but all known clients can handle it. The message is
sent three times, so choose one that does not change anything. An agent that
knows only the keys of another platform refuses the requests; "sidestick agent
keys" prints the key for it. An agent that answers only under its own slug gets
it from --slug, or from the URL: https://agent.example#slug.

A token of --token-env is sent only to an agent that refuses the two wrong
requests without it. Then all three requests carry it, because an agent that
looks only at the token would refuse the wrong ones for the lack of one; the
message is sent five times.

To check a recorded answer, give --file, with or without its headers (curl -i).`,
		Example: `  sidestick agent check http://127.0.0.1:8080
  sidestick agent check https://agent.example --message "list my issues"
  curl -isN localhost:8080 -d @request.json | sidestick agent check --file -
  sidestick agent check --json http://127.0.0.1:8080 | jq '.findings[].fix'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (c.file != "") {
				return cli.WrongUsage(cmd, errors.New("give the URL of an agent, or --file with its answer"))
			}
			if len(args) == 1 {
				c.url = args[0]
			}
			return checkAgent(cmd.Context(), o, c)
		},
	}
	cmd.Flags().StringVar(&c.message, "message", checkMessage, "`text` of the request")
	cmd.Flags().StringVar(&c.file, "file", "", "check this recorded `reply` instead of calling an agent; - is stdin")
	cmd.Flags().StringVar(&c.slug, "slug", "", "`name` by which the requests call the agent (default that of the URL, else none)")
	cmd.Flags().StringVar(&c.tokenEnv, "token-env", "", "environment `variable` with a GitHub token for the agent (default: none is sent)")
	cmd.Flags().DurationVar(&c.timeout, "timeout", checkTimeout, "how long the answer may take")
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "one JSON object")
	return cmd
}

// agentCheck are the arguments of a check.
type agentCheck struct {
	url, message, file, tokenEnv, slug string
	token                              string
	timeout                            time.Duration
	asJSON                             bool
}

// checked is the result of a check, as --json prints it. Times are in milliseconds, and 0
// for a recorded answer.
type checked struct {
	On          string         `json:"on"`
	Status      int            `json:"status,omitempty"`
	ContentType string         `json:"contentType,omitempty"`
	Bytes       int            `json:"bytes"`
	FirstByte   int64          `json:"firstByteMs"`
	Total       int64          `json:"totalMs"`
	Errors      int            `json:"errors"`
	Warnings    int            `json:"warnings"`
	Findings    []checkFinding `json:"findings"`

	called bool // not recorded, so the times are valid
}

// checkFinding is the result for one subject: an error, a warning, or, without a
// severity, that it is right.
type checkFinding struct {
	About    string `json:"about"` // answer, request, GET, unsigned, forged or token
	Severity string `json:"severity,omitempty"`
	Rule     int    `json:"rule,omitempty"`
	Name     string `json:"name,omitempty"`
	Line     int    `json:"line,omitempty"` // of the answer, from 1
	Offset   int64  `json:"offset"`         // of that line's first byte
	Text     string `json:"text"`
	Fix      string `json:"fix,omitempty"`
}

// The severities.
const (
	isError   = "error"
	isWarning = "warning"
)

func checkAgent(ctx context.Context, o *cli.Options, c *agentCheck) error {
	var result *checked
	var err error
	if c.file != "" {
		result, err = checkFile(o, c.file)
	} else {
		result, err = checkURL(ctx, o, c)
	}
	if err != nil {
		return err
	}
	result.count()
	secrets := o.Secrets.Child()
	secrets.Add(c.token) // an agent may send it back
	result.ContentType = secrets.Redact(result.ContentType)
	for i := range result.Findings {
		f := &result.Findings[i]
		f.Text, f.Fix = secrets.Redact(f.Text), secrets.Redact(f.Fix)
	}
	if c.asJSON {
		err = cli.EncodeJSON(o.Sys.Stdout, result)
	} else {
		err = printChecked(o, result)
	}
	if err == nil && result.Errors > 0 {
		err = fmt.Errorf("%s: %s", result.On, result.verdict())
	}
	return err
}

// count counts the findings by severity.
func (r *checked) count() {
	for _, f := range r.Findings {
		switch f.Severity {
		case isError:
			r.Errors++
		case isWarning:
			r.Warnings++
		}
	}
}

// verdict is the result in a few words.
func (r *checked) verdict() string {
	many := func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %ss", n, one)
	}
	switch {
	case r.Errors == 0 && r.Warnings == 0:
		return "no rule is broken"
	case r.Errors == 0:
		return "no rule is broken; " + many(r.Warnings, "warning")
	case r.Warnings == 0:
		return many(r.Errors, "error")
	}
	return many(r.Errors, "error") + ", " + many(r.Warnings, "warning")
}
