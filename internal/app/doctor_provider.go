package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
)

// checkReplay reads the recording that the calls of the model are answered from.
func (s *survey) checkReplay() []cli.Check {
	path := s.cfg.Tape.Replay.Value
	if _, err := tape.Open(tape.PlayerOptions{Path: cli.Absolute(path), FS: s.o.Sys.FS}); err != nil {
		return []cli.Check{{About: "replay", Is: cli.Message(err), Next: "correct or unset " + s.cfg.Tape.Replay.From}}
	}
	return []cli.Check{{
		About: "replay", Grade: cli.Fair, Is: "the calls of the model are answered from the recording " + path + ", so no provider is called",
		Next: "without the recording: unset " + s.cfg.Tape.Replay.From,
	}}
}

// checkProvider asks the provider for its models, and looks for the one that a
// run would use among them.
func (s *survey) checkProvider(ctx context.Context, call bool) []cli.Check {
	cfg := s.cfg
	p := cfg.Provider()
	if address, ok := extensions.Address(p.Model); ok {
		return []cli.Check{checkAgentOf(ctx, cfg, address)}
	}
	if named := wiring.Sources(cfg, s.stored); p.Kind == config.None && len(named) > 0 {
		var names []string
		for _, source := range named {
			names = append(names, source.Name)
		}
		return []cli.Check{{
			About: "provider", Is: "no model is chosen; there are keys or addresses for " + strings.Join(names, ", "),
			Next: "sidestick init lets you choose one and keeps it; or name one that sidestick models lists, with -m NAME or SIDESTICK_MODEL",
		}}
	}
	if p.Kind == config.None {
		return []cli.Check{{
			About: "provider", Is: "none is configured",
			Next: "sidestick init sets one up with you; or set OPENAI_BASE_URL, for example to http://localhost:11434/v1, " +
				"or OPENAI_API_KEY alone for OpenAI; sidestick run lists all five ways",
		}}
	}
	found := checkKey(ctx, cfg, s.stored)
	if found[0].Grade == cli.Bad {
		return found
	}
	source := wiring.Source{Name: model.PublicAddress(p.BaseURL), Vendor: p.Vendor, Provider: wiring.Provider(cfg, s.stored)}
	client, err := s.client()
	if err != nil {
		return found // checkCertificates reports it
	}
	defer client.Close()
	var got offer
	s.askOne(ctx, client, source, &got)
	found = append(found, checkDialect(&source.Provider.Endpoint))
	if got.err != nil {
		return append(found, unreachable(ctx, cfg, p, got.err), checkProxy(p.BaseURL))
	}
	found = append(found, cli.Check{
		About: "provider", Grade: cli.Good, Is: fmt.Sprintf("%s answered in %v; models listed: %d", got.address, got.took.Round(time.Millisecond), got.listed),
	}, checkProxy(p.BaseURL), checkClock(ctx, cfg, p.BaseURL), checkModel(cmp.Or(p.WireModel, p.Model), got.rows))
	found = append(found, s.checkWindow(cmp.Or(p.WireModel, p.Model), got.address, got.rows), s.checkToolSet(ctx, client, source))
	found = append(found, s.checkRequest(ctx, client, &source, cmp.Or(p.WireModel, p.Model), got.rows)...)
	if call {
		found = append(found, s.checkCall(ctx, client, source, got.rows))
	}
	return found
}

// proxyFailed is in the error of a call whose proxy could not be reached.
const proxyFailed = "_PROXY) cannot be reached"

// unreachable is the check of a provider that could not list its models. Some providers
// have no list, which is no failure.
func unreachable(ctx context.Context, cfg config.Config, p config.Provider, err error) cli.Check {
	if fault.KindOf(err) == fault.NotFound && p.Model != "" && takesCalls(ctx, cfg, p) {
		return cli.Check{
			About: "provider", Grade: cli.Fair, Is: model.PublicAddress(p.BaseURL) + " answers, but lists no models",
			Next: "a run with " + p.Model + " may still work",
		}
	}
	if model.Loads(err) {
		return cli.Check{
			About: "provider", Grade: cli.Fair, Is: model.PublicAddress(p.BaseURL) + " loads its model",
			Next: "wait until it has, and run doctor again for the rest; a run waits by itself",
		}
	}
	f := cli.Check{About: "provider", Is: model.PublicAddress(p.BaseURL) + ": " + fault.Message(err), Next: "the base URL comes from " + p.From}
	if p.From == config.Default {
		f.Next = "the base URL is " + p.AddressFrom()
	}
	switch {
	case strings.Contains(f.Is, proxyFailed):
		f.Next = "correct the address of the proxy, or exclude the provider with NO_PROXY"
	case fault.KindOf(err) == fault.Unavailable:
		f.Next += "; is the server running?"
	}
	return f
}

// callPath is where the calls of a dialect go.
func callPath(dialect string) string {
	switch dialect {
	case responses.Name:
		return "/responses"
	case anthropic.Name:
		return "/v1/messages"
	}
	return "/chat/completions"
}

// takesCalls reports whether the provider has an address for model calls. It sends a call
// without content, which costs nothing: a provider refuses it, but not as an unknown page.
func takesCalls(ctx context.Context, cfg config.Config, p config.Provider) bool {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.BaseURL+callPath(p.Dialect), strings.NewReader("{}"))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	if p.Key != "" {
		req.Header.Set("Authorization", "Bearer "+string(p.Key))
	}
	client := *wiring.HTTPClient(cfg)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // only the status counts
	return resp.StatusCode != http.StatusNotFound && resp.StatusCode/100 != 3
}

// checkModel looks for a model in the provider's list. A model that is missing there may
// still work: providers serve models and aliases that they do not list.
func checkModel(name string, list []modelRow) cli.Check {
	f := cli.Check{About: "model", Grade: cli.Good}
	switch {
	case len(list) == 0 && name == "":
		f.Grade, f.Is, f.Next = cli.Bad, "none is configured, and the provider lists none", "set SIDESTICK_MODEL, or use -m"
	case len(list) == 0:
		f.Grade, f.Is = cli.Fair, "the provider lists no models; "+name+" may still work"
	case name == "":
		f.Is = fmt.Sprintf("none is set; runs use the first listed, %s (SIDESTICK_MODEL sets another)", list[0].ID)
	case !slices.ContainsFunc(list, func(m modelRow) bool { return m.ID == name }):
		f.Grade, f.Is, f.Next = cli.Fair, name+" is not in the provider's list", "it may still work; models in the list: "+some(list)
	default:
		f.Is = name + " is in the provider's list"
	}
	return f
}

// some is the first few models, for a hint.
func some(list []modelRow) string {
	const few = 5
	var ids []string
	for _, m := range list[:min(few, len(list))] {
		ids = append(ids, m.ID)
	}
	if len(list) > few {
		ids = append(ids, "… (sidestick models)")
	}
	return strings.Join(ids, ", ")
}
