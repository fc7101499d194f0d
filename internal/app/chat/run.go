package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// RunCommand is `sidestick run`. join, if it is not nil, is called once the session is
// open, so that a program in this process can take part in it; tests use it.
func RunCommand(o *cli.Options, join Join) *cobra.Command {
	r := &runner{Options: o, join: join}
	cmd := &cobra.Command{
		Use:   "run [PROMPT... | -]",
		Short: "Answer one prompt",
		Long: `Answer one prompt. The answer goes to stdout, everything else to stderr. At a
terminal the answer streams; to a file or a pipe goes the answer alone, without
what the model says beside its tool calls. The prompt is an argument; without
one, or with "-", it is read from stdin. Text that is piped in beside a prompt
is appended to it, after the line "--- stdin ---". Files that the prompt names
as @FILE go with it. Every run is saved as a session, unless you give
--no-session; continue it with --continue.

Reading in the working directory needs no approval, and neither do commands that
only read there: they run in a sandbox. Before the agent changes a file, runs
any other command, fetches a page or leaves the working directory, you see what
it wants to do, and where, and are asked. You can approve it once, for this
session, or for every session in this repository or folder, or deny it and write
how to continue. If stdin or stdout is not a terminal, nothing is asked unless
you give --ask: a call that needs approval is denied, unless a flag or an
earlier answer allows it, and the model gets the reason.

--output-format says what goes to stdout: text; json, one object with the
answer, tokens, cost, session and error; stream-json, a line for each event and
that object last; events, every event of the protocol, as --json does.

Exit codes: 0 done; 1 failed, or --max-turns, --max-tokens, --max-cost or
--timeout has ended the run; 2 the command line or the configuration is wrong; 3
aborted; 4 a call was denied that the answer needed, because nobody could be
asked; 5 the answer is not complete: cut off at a limit, refused, blocked or
empty, or it does not fit --output-schema; 141 the program that read the output
has left, as head does. The first Ctrl-C aborts the run and records this in the
session; the second exits at once.`,
		Example: `  sidestick run "Explain what a closure is, in two sentences."
  git diff | sidestick run "Review this change."
  git diff | sidestick run -m qwen3 -
  sidestick run "Why does the test fail? Fix it."  # asks before it acts
  sidestick run --continue "And the other test?"   # the last one of this folder
  sidestick run --resume 0b1f "Go on."             # by its first characters
  sidestick run --plan "How would you split this package?"
  sidestick run --autopilot --max-turns 30 --timeout 10m "Make the tests pass."
  sidestick run --allow-tool 'shell(go test:*)' --allow-tool write "Fix it."
  sidestick run --allow-all --deny-tool 'shell(git push)' "Prepare the release."
  sidestick run --session notes "My name is Ann."  # creates or continues it
  sidestick run -m extension:https://agent.example "List my issues."  # an agent
  sidestick run --attach shot.png "What is wrong on this page, see @main.css?"
  sidestick run --output-schema schema.json -o out.json "List the endpoints."
  sidestick run --no-session --max-cost 0.50 --tools view,grep "Review src."
  sidestick run --output-format json "Say hello." | jq -r .result`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.reported(r.run(cmd.Context(), args))
		},
	}
	r.flags(cmd)
	return cmd
}

// flags adds the flags to cmd.
func (r *runner) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&r.attach, "attach", nil, "send this `file` with the prompt: an image, a PDF, or a text of at most 64 KiB; repeatable")
	f.StringVar(&r.input, "input-format", "", "what stdin has: `FORMAT` is text, or stream-json, a message a line, for --output-format stream-json or json (default text)")
	f.StringVar(&r.schema, "output-schema", "", "make the answer JSON that fits the JSON schema in this `file`")
	f.StringVarP(&r.last, "output-last-message", "o", "", "write the answer into this `file`, too")
	f.StringVar(&r.format, "output-format", "", "what goes to stdout: `FORMAT` is text, json, stream-json or events (default text)")
	f.BoolVar(&r.json, "json", false, "the same as --output-format events: every event of the protocol as it happens, one JSON object a line")
	f.BoolVar(&r.verbose, "verbose", false, "print tool calls and their results to stderr, also if that is not a terminal")
	f.BoolVar(&r.Asks, "ask", false, "ask at the terminal of the process, also if stdin or stdout is not a terminal")
	r.AddFlags(r.Options, cmd)
	_ = cmd.RegisterFlagCompletionFunc("output-format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// runner is one `sidestick run`.
type runner struct {
	*cli.Options
	entry.Settings
	json, verbose bool
	format, input string   // of --output-format and --input-format
	attach        []string // the files of --attach
	schema, last  string   // the files of --output-schema and --output-last-message
	join          Join

	began  time.Time
	text   *show.Answer // prints text; nil for other formats
	script *show.Script // prints for a program; nil for other formats
	form   *form        // of the answer; nil for text
	target *target      // the file that also gets the answer; nil if there is none

	result  show.Result // for script, of the present run
	printed bool        // script has printed it
}

// Join enters the session id as another program does, and returns what leaves it. Calls
// to peer reach the user, as those of the session do.
type Join func(ctx context.Context, p *wiring.Parts, id string, peer session.Peer) (leave func(), err error)

func (r *runner) run(ctx context.Context, args []string) error {
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.Check(r.Flags); err != nil {
		return err
	}
	if r.join == nil {
		if err := r.CheckRules(r.Options); err != nil {
			return err
		}
	}
	if err := r.readGiven(); err != nil {
		return err
	}
	asked, err := r.prompt(ctx, args)
	if err != nil {
		return err
	}
	t := r.conversation()
	return withTalk(ctx, r.Options, &r.Settings, t, func() error {
		if r.join != nil {
			leave, err := r.join(ctx, t.Parts, t.client.Session().ID(), t.Peer)
			if err != nil {
				return err
			}
			defer leave()
		}
		if title, in := t.continued(ctx); in != "" && r.script == nil { // the agent will work there, not here
			fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, "continues: "+title+in))
		}
		attached, err := attachments(ctx, t.client.Session(), asked.files)
		if err != nil {
			return err
		}
		if err := r.opened(ctx, t); err != nil {
			return err
		}
		if r.input == inputLinesFormat {
			return r.lines(ctx, t)
		}
		if asked.warning != "" {
			if err := r.warn(asked.warning); err != nil {
				return err
			}
		}
		err = r.turn(ctx, t, asked.text, attached)
		if !errors.Is(err, entry.ErrLeft) { // the user waits for nothing
			err = errors.Join(err, r.ending(ctx, t))
		}
		return err
	})
}

// readGiven reads the files of the flags, and finds out whether the answer can be written, before a model is called.
func (r *runner) readGiven() (err error) {
	if r.form, err = readForm(r.Disk(), r.schema); err != nil {
		return err
	}
	r.target, err = newTarget(r.Disk(), r.last)
	return err
}

// command is what the command line asks for.
type command struct {
	text    string
	files   []composer.Attachment
	warning string // about files that do not go with it; "" for none
}

// prompt is the prompt, with the files that the user names. Lines of stdin have their own.
func (r *runner) prompt(ctx context.Context, args []string) (p command, err error) {
	if r.input == inputLinesFormat {
		if len(args) > 0 || r.attach != nil {
			return p, cli.NewUsageError(errors.New("with --input-format stream-json the prompts and their images are lines of stdin: leave out the prompt and --attach"))
		}
		return p, nil
	}
	if p.text, err = readPrompt(ctx, r.Options, args); err != nil {
		return p, err
	}
	p.files, p.warning, err = attachedFiles(r.Disk(), r.attach, strings.Join(args, " "))
	return p, err
}

// conversation is the user's side of the session.
func (r *runner) conversation() *conversation {
	t := &conversation{show: r.printer()}
	t.quiet = r.text == nil || !r.verbose && !terminal.Is(r.Sys.Stderr)
	if r.text != nil && r.text.Live() {
		t.live = r.text
	}
	if r.script != nil {
		t.unasked = r.denials
	}
	t.refused = r.refused
	return t
}

// turn sends a prompt and follows the run that answers it to its end.
func (r *runner) turn(ctx context.Context, t *conversation, text string, attached json.RawMessage) error {
	send, err := r.message(ctx, t, text)
	if err != nil {
		return err
	}
	send.Attachments = attached
	if r.form != nil {
		send.ResponseFormat = r.form.format
	}
	err = t.say(ctx, send)
	if r.form != nil {
		err = r.fit(ctx, t, send, err)
	}
	return r.ended(t, err)
}

// message is the prompt, or that of the skill or file that "/name text" names. Any other text
// with a slash is sent as it is, with a warning if it looks like a command.
func (r *runner) message(ctx context.Context, t *conversation, text string) (wire.Send, error) {
	send := wire.Send{Prompt: text, AgentMode: r.Mode()}
	name, args, ok := slash.Split(text)
	if !ok {
		return send, nil
	}
	if b, builtin := slash.Find(name); builtin && !b.Prompt {
		r.sentAsText(name, "works only in sidestick chat")
		return send, nil
	}
	prompt, ok, err := operate.Prompt(ctx, t.client.Session(), name, args)
	if err == nil && !ok {
		r.sentAsText(name, "is no skill and no prompt of a file")
	}
	if !ok || err != nil {
		return send, err
	}
	if prompt.Notice != nil {
		fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, *prompt.Notice))
	}
	return operate.Message(prompt, send.AgentMode), nil
}

// sentAsText warns that what looks like a command is a message to the model.
func (r *runner) sentAsText(name, why string) {
	warning := fmt.Sprintf("warning: /%s %s, so the model gets it as text. Begin the prompt with a space if that is what you want.", timeline.OneLine(name, 40), why)
	fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, warning))
}

// withTalk opens the session that the settings name, and has use talk to it with t, which says how to
// print.
func withTalk(ctx context.Context, o *cli.Options, which *entry.Settings, t *conversation, use func() error) error {
	return entry.With(ctx, o, which, func(r *entry.Runtime) error {
		c, notes, err := r.Open(ctx, which)
		if err != nil {
			return err
		}
		for _, n := range notes {
			_ = cli.Print(o.Sys.Stderr, "sidestick: "+n+"\n")
		}
		t.prepare(r)
		t.interrupts = r.Interrupts() // not before: opening a session reacts to ctx only
		t.begin(c)
		defer t.end()
		return r.Replayed(use())
	})
}

// prepare sets how the user is asked, and what happens to requests that nobody can answer.
func (t *conversation) prepare(r *entry.Runtime) {
	t.Runtime = r
	if t.unasked == nil {
		t.unasked = func(list []timeline.Request, rules permit.Rules, b permit.Sandboxing) {
			suggestion(r.Options, r.Nobody, list, rules, b)
		}
	}
	tty := r.Terminal
	if tty == nil {
		return
	}
	if a, ok := t.show.(*show.Answer); ok {
		a.Asked(tty.Size)
	}
	if tty.Append() {
		t.every = plainEvery
	}
	t.ask = &ask.Asker{Screen: tty, Look: tty.Paint(r.Options.Sys.Getenv), Numbered: tty.Plain}
}
