package agentcmd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// slowStart is how long a user waits for the first text before they wonder whether the
// agent works.
const slowStart = 5 * time.Second

// probeWait bounds the requests whose answer is only a status.
const probeWait = 10 * time.Second

// prober calls one agent.
type prober struct {
	url    string
	body   []byte // of the request
	signer *extension.Signer
	http   *http.Client
}

// checkURL calls an agent and checks its answer, its speed, and what it refuses.
func checkURL(ctx context.Context, o *cli.Options, c *agentCheck) (*checked, error) {
	p, err := newProber(ctx, o, c)
	if err != nil {
		return nil, err
	}
	r := &checked{On: c.url, called: true}
	token := c.token
	if token != "" && !p.try(ctx, "").refused() {
		token = "" // an agent that verifies nothing would act for anybody who has the token
		r.Findings = append(r.Findings, withheld())
	}
	answered, err := p.signed(ctx, r, c.timeout, token)
	if err != nil {
		return nil, err
	}
	r.Findings = append(r.Findings, p.get(ctx))
	if answered {
		r.Findings = append(r.Findings, p.try(ctx, token).findings()...) // with the token: an agent may refuse others for the lack of one
	} else {
		r.Findings = append(r.Findings, notTried()...)
	}
	if ctx.Err() != nil {
		return nil, cli.ErrAborted
	}
	return r, nil
}

func newProber(ctx context.Context, o *cli.Options, c *agentCheck) (*prober, error) {
	if err := c.complete(o.Sys.Getenv); err != nil {
		return nil, cli.NewUsageError(err)
	}
	signer, err := signerOf(ctx, o)
	if err != nil {
		return nil, err
	}
	request := extension.Request{ThreadID: wire.NewID(), Agent: c.slug, Messages: []extension.Message{{Role: "user", Content: c.message}}}
	body, err := request.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return &prober{
		url: c.url, body: body, signer: signer,
		http: &http.Client{
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// complete checks the URL, and finds the token that may be sent there.
func (c *agentCheck) complete(getenv func(string) string) error {
	u, err := url.Parse(c.url)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("that is not the URL of an agent (for example http://127.0.0.1:8080)")
	case u.User != nil:
		return errors.New("the URL contains a user name or password; agents take neither")
	case c.timeout <= 0:
		return fmt.Errorf("--timeout is %v, want more than 0", c.timeout)
	}
	c.slug = cmp.Or(c.slug, u.Fragment)
	if c.tokenEnv == "" {
		return nil
	}
	if c.token = getenv(c.tokenEnv); c.token == "" {
		return fmt.Errorf("--token-env %s: the variable is not set", c.tokenEnv)
	}
	if u.Scheme == "http" && !local(u.Hostname()) {
		return errors.New("the token would cross a network unencrypted; use https, or an agent on this machine")
	}
	return nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// signed makes the request that the agent should answer, and checks the answer. answered
// says that it is one, and not only an error. The error is that there was no response.
func (p *prober) signed(ctx context.Context, r *checked, limit time.Duration, token string) (answered bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := p.request(bounded, p.body, token)
	if err != nil {
		return false, err
	}
	begin := time.Now()
	resp, err := p.http.Do(req)
	if err != nil {
		return false, p.unanswered(ctx, err, limit)
	}
	defer func() { _ = resp.Body.Close() }() // all that is needed was read
	in := &stopwatch{r: resp.Body, begin: begin}
	body, err := io.ReadAll(io.LimitReader(in, maxReply+1))
	r.Status, r.ContentType, r.Bytes = resp.StatusCode, resp.Header.Get("Content-Type"), len(body)
	r.FirstByte, r.Total = in.first.Milliseconds(), time.Since(begin).Milliseconds()
	if ctx.Err() != nil {
		return false, cli.ErrAborted
	}
	body = body[:min(len(body), maxReply)]
	r.answer(resp.Header, resp.StatusCode, body)
	r.circumstances(resp, in, err, limit)
	return outcomeOf(resp.StatusCode, bytes.NewReader(body)).answered, nil
}

// stopwatch notes when the first byte came.
type stopwatch struct {
	r     io.Reader
	begin time.Time
	first time.Duration // 0: not yet
}

func (s *stopwatch) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if n > 0 && s.first == 0 {
		s.first = max(time.Since(s.begin), 1)
	}
	return n, err
}

// circumstances checks what the body does not show.
func (r *checked) circumstances(resp *http.Response, in *stopwatch, err error, limit time.Duration) {
	add := func(severity, text, fix string) {
		r.Findings = append(r.Findings, checkFinding{About: "request", Severity: severity, Text: text, Fix: fix})
	}
	switch {
	case r.Bytes > maxReply:
		add(isError, fmt.Sprintf("the answer is longer than %d MiB, and was read no further", maxReply>>20), "end the answer earlier")
	case errors.Is(err, context.DeadlineExceeded):
		add(isError, fmt.Sprintf("the answer had not ended after %v", limit), "end it with [DONE], and close it: return from the handler")
	case err != nil:
		add(isError, "the answer was cut off: "+err.Error(), "the agent may have crashed; see its log")
	}
	switch {
	case resp.StatusCode/100 == 3:
		add(isError, "the agent redirects to "+resp.Header.Get("Location"), "give the URL that it redirects to; platforms do not follow redirects")
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		add(isError, "the agent refuses our signature, or the token", "give it our public key: sidestick agent keys --help; for a token: --token-env")
	}
	if in.first > slowStart {
		add(isWarning, fmt.Sprintf("the first byte came after %v", in.first.Round(time.Second/10)), "send an empty text at once; the user sees nothing until then")
	}
}

// get checks that the agent answers a browser, which comes after the user's consent.
func (p *prober) get(ctx context.Context) checkFinding {
	f := checkFinding{About: "GET"}
	bounded, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	req, err := p.request(bounded, nil, "")
	if err != nil {
		return checkFinding{About: "GET", Severity: isWarning, Text: fault.Message(err)}
	}
	req.Method, req.Body, req.ContentLength = http.MethodGet, http.NoBody, 0
	switch resp, err := p.http.Do(req); {
	case err != nil:
		f.Severity, f.Text = isWarning, fault.Message(p.unanswered(ctx, err, probeWait))
	case resp.Body.Close() != nil || resp.StatusCode != http.StatusOK:
		f.Severity, f.Text = isWarning, fmt.Sprintf("is answered with %d, not 200", resp.StatusCode)
	default:
		f.Text = "is answered with 200"
		return f
	}
	f.Fix = "answer 200 and a line of text: once a user has allowed the agent, a browser opens its callback URL, which is the agent's own URL for most agents"
	return f
}

// request is a POST of our body with a token, "" for none, signed over some bytes; nil is
// not signed.
func (p *prober) request(ctx context.Context, over []byte, token string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(p.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "sidestick/"+cli.Version())
	if token != "" {
		req.Header.Set("X-GitHub-Token", token)
	}
	if over == nil {
		return req, nil
	}
	id, signature, err := p.signer.Sign(over)
	for _, prefix := range []string{"X-GitHub", "Github"} { // the newer pair, and the one that older agents read
		req.Header.Set(prefix+"-Public-Key-Identifier", id)
		req.Header.Set(prefix+"-Public-Key-Signature", signature)
	}
	return req, err
}

// unanswered is why there was no answer, without the URL, which the caller names.
func (p *prober) unanswered(ctx context.Context, err error, limit time.Duration) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	var untrusted *tls.CertificateVerificationError
	hint := "is the agent running, and is this its address?"
	switch {
	case ctx.Err() != nil:
		return cli.ErrAborted
	case errors.Is(err, context.DeadlineExceeded):
		err, hint = fmt.Errorf("no answer in %v", limit), ""
	case errors.As(err, &untrusted):
		hint = "platforms require a certificate of a public authority; on this machine http is enough"
	case !errors.As(err, &op):
		hint = "is it an HTTP server, and is the scheme right?"
	}
	return &fault.Error{Op: "app.checkAgent", On: p.url, Kind: fault.Unavailable, Err: err, Hint: hint}
}
