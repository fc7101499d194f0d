package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// checkDialect says which protocol the provider is called by.
func checkDialect(e *model.Endpoint) cli.Check {
	names := map[string]string{
		chat.Name: "chat completions", responses.Name: "OpenAI Responses", anthropic.Name: "Anthropic Messages", gemini.Name: "Gemini",
		bedrock.Name: "Converse of AWS Bedrock", ollama.Name: "Ollama",
	}
	f := cli.Check{About: "dialect", Grade: cli.Good, Is: names[e.Dialect]}
	switch {
	case e.Copilot:
		f.Is = "by model, as the Copilot API lists it"
	case e.Dialect == "":
		f.Is = names[chat.Name]
	case f.Is == "":
		f.Is = e.Dialect
	}
	return f
}

// checkProxy says whether the calls go through a proxy of the environment.
func checkProxy(address string) cli.Check {
	f := cli.Check{About: "proxy", Grade: cli.Good, Is: "none"}
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		f.Grade, f.Is = cli.Fair, "the address of the provider is not valid"
		return f
	}
	switch proxy, err := http.ProxyFromEnvironment(req); {
	case err != nil:
		f.Grade, f.Is, f.Next = cli.Bad, "HTTP_PROXY or HTTPS_PROXY is not valid", "give a URL such as http://proxy.example:3128" // err would quote a password
	case proxy != nil:
		f.Is = "calls go through " + model.PublicAddress(proxy.String())
	}
	return f
}

// mostSkew is how wrong the clock may be. Tokens and signatures of requests are refused when it is
// wrong by five minutes; clocks that are kept right differ by far less than one.
const mostSkew = time.Minute

// checkClock compares the clock with that of the provider. It sends no credential.
func checkClock(ctx context.Context, cfg config.Config, address string) cli.Check {
	f := cli.Check{About: "clock", Grade: cli.Fair}
	begin := time.Now()
	header, err := reach(ctx, cfg, http.MethodHead, address)
	if err != nil {
		f.Is = fmt.Sprintf("it could not be compared: %v", err)
		return f
	}
	return skew(f, header.Get("Date"), begin, time.Now())
}

// reach sends a request without a credential, and returns the headers of the answer, whatever its
// status is. It follows no redirects. The error does not repeat the address.
func reach(ctx context.Context, cfg config.Config, method, address string) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, errors.New("the address is not valid")
	}
	client := *wiring.HTTPClient(cfg)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err
	}
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close() // only the headers count
	return resp.Header, nil
}

// skew compares a Date header with the time at which it came.
func skew(f cli.Check, date string, begin, end time.Time) cli.Check {
	theirs, err := http.ParseTime(date)
	if err != nil {
		f.Is = "it could not be compared: the provider sends no date"
		return f
	}
	off := end.Sub(theirs) // how far this clock is ahead; a date has whole seconds
	if theirs.After(begin) {
		off = begin.Sub(theirs)
	}
	switch {
	case off > mostSkew:
		f.Is = fmt.Sprintf("it is %v ahead of the provider's", off.Round(time.Second))
	case off < -mostSkew:
		f.Is = fmt.Sprintf("it is %v behind the provider's", -off.Round(time.Second))
	default:
		f.Grade, f.Is = cli.Good, "agrees with the provider's"
		return f
	}
	f.Next = "set the clock: tokens and signed requests may be refused"
	return f
}

// askedTokens bounds the answer of the test call, which may be a call of a tool with a thought before it.
const askedTokens = 256

// callWait bounds the test call: local models take long to load.
const callWait = time.Minute

// checkCall makes one short call of the model.
func (s *survey) checkCall(ctx context.Context, client *model.Client, source wiring.Source, list []modelRow) cli.Check {
	f := cli.Check{About: "call"}
	p := source.Provider
	name := p.Model
	if name == "" && len(list) > 0 {
		name = list[0].ID
	}
	if name == "" {
		f.Is = "there is no model to call"
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	begin := time.Now()
	ep := p.Located(ctx).Endpoint
	if err := provider.ApplyRequest(&ep, s.facts, known.ProviderOf(source.Vendor, ep.BaseURL), cmp.Or(ep.WireModel, name)); err != nil {
		f.Is = "the call cannot be made: " + cli.Message(err)
		return f
	}
	resp, err := client.Stream(ctx, ep, model.Request{
		Model: name, Messages: []model.Message{{Role: model.RoleUser, Content: "Call the tool " + testTool + " with the word OK. If you cannot, say OK."}},
		Tools:  []model.Tool{{Name: testTool, Description: "Reports a word.", Parameters: []byte(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)}},
		Stream: true, MaxOutputTokens: askedTokens, Hurried: true,
	}, nil)
	if err != nil {
		f.Is = "the call failed: " + fault.Message(err)
		return f
	}
	f.Grade, f.Is = cli.Good, fmt.Sprintf("%s answered in %v", name, time.Since(begin).Round(time.Millisecond))
	if u := resp.Usage; u.Reported {
		f.Is += fmt.Sprintf("; %s tokens in, %s out", timeline.Count(u.Input), timeline.Count(u.Output))
	}
	f.Is += sentAsText(resp)
	return f
}

// checkModelsFile reads the user's file of models, if there is one.
func (s *survey) checkModelsFile() []cli.Check {
	n, err := s.facts.Check()
	switch {
	case err != nil:
		return []cli.Check{{About: "models", Is: cli.Message(err)}}
	case n > 0:
		return []cli.Check{{About: "models", Grade: cli.Good, Is: fmt.Sprintf("models.json describes %d", n)}}
	}
	return nil
}

// checkLocals looks for servers of models on this machine.
func (s *survey) checkLocals(ctx context.Context) (found []cli.Check) {
	locals, err := s.ask(ctx, nil, wiring.LocalSources(s.cfg, s.stored))
	if err != nil {
		return nil // checkCertificates reports it
	}
	for _, l := range locals {
		f := cli.Check{About: "local", Grade: cli.Good, Is: fmt.Sprintf("%s answers; models listed: %d", l.address, l.listed)}
		if l.name != l.address {
			f.Is = l.name + " at " + f.Is
		}
		if model.Loads(l.err) {
			f.Grade, f.Is, f.Next = cli.Fair, l.address+" loads its model", "wait until it has, and run doctor again"
		}
		if len(l.rows) > 0 {
			f.Is += ", such as " + strings.TrimSpace(timeline.OneLine(l.rows[0].Model, 60))
		}
		found = append(found, f)
	}
	if len(locals) == 0 && wantsLocal(s.cfg) {
		for _, a := range wiring.StartLocal(s.cfg) {
			f := cli.Check{About: "local", Grade: cli.Fair, Is: "no server of models answers; " + a.Says()}
			if a.Command != "" {
				f.Next = "start it: " + a.Command
			}
			found = append(found, f)
		}
	}
	return found
}

// wantsLocal reports whether a server on this machine would be of use: it was looked for, and no other provider is configured.
func wantsLocal(cfg config.Config) bool {
	p := cfg.Provider()
	return len(cfg.Locals()) > 0 && (p.Kind == config.None || model.Near(p.BaseURL))
}
