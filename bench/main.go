// Command bench measures agent runtimes through the official Go SDK of GitHub
// Copilot and compares two of them. The model is scripted and served by this
// process, so a run needs no key and no network.
//
//	go build -C bench -o /tmp/bench .
//	/tmp/bench -a /tmp/before -b /tmp/after -rounds 3
//	/tmp/bench -b /tmp/sidestick -scenario loop -sessions 5000
//	/tmp/bench -a /tmp/sidestick -b /tmp/sidestick -b-dialect anthropic -scenario relay
//
// The two executables run in turns, never at the same time, and the order changes
// with each round: on a shared machine only the ratio of two runs made one after
// the other says something. With -b alone, that one runtime is measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run reads the command line, measures, and prints.
func run(ctx context.Context, args []string, out io.Writer) error {
	plan, asJSON, err := parse(args)
	if err != nil {
		return err
	}
	model, err := serveModel()
	if err != nil {
		return err
	}
	defer model.close()
	show := func(r result) error { return nil }
	if asJSON {
		show = func(r result) error { return printJSON(out, r) }
	}
	results, err := plan.measure(ctx, model, show)
	if !asJSON {
		err = errors.Join(printTable(out, plan, results), err)
	}
	return err
}

// plan is what to measure.
type plan struct {
	subjects  []subject
	scenarios []scenario
	sizes     sizes
	rounds    int           // at least 1
	limit     time.Duration // of one scenario with one runtime
}

// sizes is how much of everything a scenario does. All are at least 1.
type sizes struct {
	sessions int // sessions of create and loop
	tools    int // tool turns of one message in loop
	chunks   int // chunks of the answer in relay; burst has -burst of them
	burst    int
	turns    int // turns before the kill in resume; at least 10
}

func parse(args []string) (plan, bool, error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	var p plan
	a := f.String("a", "", "the runtime to compare with; leave it out to measure -b alone")
	b := f.String("b", "", "the runtime to measure")
	aArgs := f.String("a-args", "", "more arguments for -a, separated by spaces")
	bArgs := f.String("b-args", "", "more arguments for -b, separated by spaces")
	aDialect := f.String("a-dialect", "chat", "how -a calls the model: chat, responses, anthropic, gemini, bedrock or ollama")
	bDialect := f.String("b-dialect", "chat", "how -b calls the model")
	aInProcess := f.Bool("a-inprocess", false, "host -a in process, with the library beside it; see the page docs/sdk.md")
	bInProcess := f.Bool("b-inprocess", false, "the same for -b")
	names := f.String("scenario", "all", "comma list of: "+strings.Join(scenarioNames(), ", "))
	f.IntVar(&p.rounds, "rounds", 1, "how often to run each scenario with each runtime")
	f.IntVar(&p.sizes.sessions, "sessions", 50, "sessions in create and loop")
	f.IntVar(&p.sizes.tools, "tools", 5, "tool turns of a message in loop")
	f.IntVar(&p.sizes.chunks, "chunks", 1000, "chunks of the answer in relay, 2 ms apart")
	f.IntVar(&p.sizes.burst, "burst", 20000, "chunks of the answer in burst")
	f.IntVar(&p.sizes.turns, "turns", 200, "turns before the kill in resume, at least 10")
	f.DurationVar(&p.limit, "limit", 5*time.Minute, "time limit of one scenario with one runtime")
	asJSON := f.Bool("json", false, "print one JSON object for each run, without ratios")
	if err := f.Parse(args); err != nil {
		return plan{}, false, err
	}
	if f.NArg() > 0 {
		return plan{}, false, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if err := p.check(); err != nil {
		return plan{}, false, err
	}
	var err error
	if p.scenarios, err = pick(*names); err != nil {
		return plan{}, false, err
	}
	p.subjects, err = subjects(given{"a", *a, *aArgs, *aDialect, *aInProcess}, given{"b", *b, *bArgs, *bDialect, *bInProcess})
	return p, *asJSON, err
}

func (p plan) check() error {
	s := p.sizes
	if min(p.rounds, s.sessions, s.tools, s.chunks, s.burst) < 1 || s.turns < 10 || p.limit <= 0 {
		return errors.New("sizes, -rounds and -limit must be above 0, and -turns at least 10")
	}
	return nil
}

// given is what the command line says of a runtime.
type given struct {
	role, path, args, dialect string
	inProcess                 bool
}

// subjects is the runtimes, -a first.
func subjects(a, b given) ([]subject, error) {
	if b.path == "" {
		return nil, errors.New("give the runtime to measure with -b, and one to compare it with by -a")
	}
	var all []subject
	for _, s := range []given{a, b} {
		if s.path == "" {
			continue
		}
		if s.inProcess && s.args != "" {
			return nil, fmt.Errorf("-%s-args: the SDK passes none to a runtime in process", s.role)
		}
		path, err := filepath.Abs(s.path)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("-%s: %w", s.role, err)
		}
		d, err := dialectNamed(s.dialect)
		if err != nil {
			return nil, fmt.Errorf("-%s-dialect: %w", s.role, err)
		}
		all = append(all, subject{role: s.role, path: path, args: strings.Fields(s.args), inProcess: s.inProcess, dialect: d})
	}
	return all, nil
}

// scenario is one thing that is measured.
type scenario struct {
	name string
	run  func(ctx context.Context, b *bench) ([]figure, error)
}

func allScenarios() []scenario {
	return []scenario{
		{"startup", startup},
		{"create", create},
		{"relay", relay},
		{"burst", burst},
		{"loop", loop},
		{"resume", resume},
	}
}

func scenarioNames() []string {
	var names []string
	for _, s := range allScenarios() {
		names = append(names, s.name)
	}
	return names
}

// pick is the scenarios of a comma list, in its order.
func pick(list string) ([]scenario, error) {
	all := allScenarios()
	if list == "all" {
		return all, nil
	}
	var picked []scenario
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(s scenario) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no scenario %q; choose from %s", name, strings.Join(scenarioNames(), ", "))
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}
