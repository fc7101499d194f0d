package tool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

const (
	// fetchTime bounds a fetch, redirects and body included.
	fetchTime = 30 * time.Second
	// maxRedirects bounds the hops within one host.
	maxRedirects = 5
	// fetchLength is how many characters an answer has if the model does not say;
	// maxFetchLength is the most it can say.
	fetchLength    = 20_000
	maxFetchLength = 100_000
	// agent is the User-Agent.
	agent = "Sidestick (+https://github.com/sidestick-dev/sidestick)"
)

var fetchDefinition = described{name: fact.WebFetch}

// FetchOptions configures [WebFetch]. The zero value is right for a machine on the
// internet.
type FetchOptions struct {
	// Private allows addresses that are not on the public internet: this machine,
	// private networks, the metadata services of clouds.
	Private bool
	// Proxy chooses the proxy of a request, nil for none. Default
	// [http.ProxyFromEnvironment]. A proxy looks names up itself, so behind one only
	// addresses that are written as such, and the names of this machine, are
	// refused; the rest is the proxy's to decide.
	Proxy func(*http.Request) (*url.URL, error)
}

// WebFetch returns the tool web_fetch, which reads pages of the web. One value serves all
// sessions.
func WebFetch(o FetchOptions) Tool {
	return webFetch{dial.New(dial.Options{Private: o.Private, Proxy: o.Proxy})}
}

type webFetch struct{ via *dial.Guard }

type fetchArgs struct {
	URL   string `json:"url"`
	Max   int    `json:"max_length"`
	Start int    `json:"start_index"`
	Raw   bool   `json:"raw"`
}

func (webFetch) Definition() Definition { return fetchDefinition.Get() }

func (webFetch) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[fetchArgs](c)
	if bad != nil {
		return nil, bad
	}
	u, err := address(args.URL)
	if err == nil && (args.Max < 0 || args.Start < 0) {
		err = errors.New("max_length and start_index cannot be negative")
	}
	if err != nil {
		r := failure("%v", err)
		return nil, &r
	}
	return &permit.Request{Kind: permit.URL, Tool: c.Name, Intention: "Fetch web page: " + u.String(), Address: u.String()}, nil
}

// address reads the url of a call; its fragment is left out.
func address(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is not an address: %w", s, errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q cannot be fetched; give an address that begins with https:// or http://", s)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%q names no host", s)
	case u.User != nil:
		return nil, errors.New("the address holds a user name or password; web_fetch takes none. Give it without")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func (t webFetch) Run(ctx context.Context, c Call) Result {
	args, bad := decode[fetchArgs](c)
	if bad != nil {
		return *bad
	}
	u, err := address(args.URL)
	switch {
	case err != nil:
		return failure("%v", err)
	case c.Permitted == nil || c.Permitted.Address != u.String():
		return failure("%s: there is no permission for it", u)
	}
	timed, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	p, err := t.fetch(timed, u)
	var away elsewhere
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case errors.As(err, &away):
		return success(fmt.Sprintf("%s redirects to another host: %s\nNothing was fetched from there. Fetch that address if it is what you want.", u, away.to))
	case errors.Is(err, context.DeadlineExceeded):
		return failure("%s did not answer in full within %v.", u, fetchTime)
	case err != nil:
		return failure("%s could not be fetched: %v.", u, plain(err))
	}
	return p.result(args)
}

// plain removes the method and address that package http puts before a reason.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// result returns the part of an answer that the call asks for.
func (p fetched) result(args fetchArgs) Result {
	text, err := p.text(args.Raw)
	if err != nil {
		return failure("%v", err)
	}
	most := min(args.Max, maxFetchLength)
	if most == 0 {
		most = fetchLength
	}
	total := utf8.RuneCountInString(text)
	if args.Start > 0 && args.Start >= total {
		return failure("start_index is %d, but the text of %s has only %d characters.", args.Start, p.from, total)
	}
	rest := text[len(firstRunes(text, args.Start)):]
	shown := firstRunes(rest, most)
	var notes string
	if end := args.Start + utf8.RuneCountInString(shown); end < total {
		notes = noted("Characters %d to %d of %d are shown. To read on: start_index %d.", args.Start, end, total, end)
	}
	if p.cut {
		notes += noted("The page is larger than %d bytes; what is beyond was not read.", maxBody)
	}
	if p.status >= http.StatusBadRequest {
		return failure("%s answered %d %s.\n\n%s%s", p.from, p.status, http.StatusText(p.status), shown, notes)
	}
	return success(fmt.Sprintf("Contents of %s:\n\n%s%s", p.from, shown, notes))
}
