package model

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The longest silence that is accepted, if [Options.Idle] does not say. A server on this machine may
// load a model and read a long prompt on a slow processor, which takes many minutes; one elsewhere that
// says nothing for five minutes is most likely gone.
const (
	silenceHere      = time.Hour
	silenceElsewhere = 5 * time.Minute
)

// Silence is the longest silence that is accepted of an endpoint: that of the endpoint, else
// [Options.Idle], else 60 minutes for a server on this machine (localhost or a loopback address) and
// 5 minutes for others. A server that says that it loads its model is waited for as long.
func (c *Client) Silence(ep *Endpoint) time.Duration {
	switch {
	case ep.Silence > 0:
		return ep.Silence
	case c.idle > 0:
		return c.idle
	case here(ep.BaseURL) != "":
		return silenceHere
	}
	return silenceElsewhere
}

// here returns the host and port of a server on this machine, "" for one elsewhere. Addresses of a
// private network belong to other machines.
func here(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(name)
	if err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified()) || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return u.Host
	}
	return ""
}

// Waiting is what a call waits for before its answer begins.
type Waiting struct {
	// Since is when the call began to wait for this.
	Since time.Time
	// Loading means that the server has said that it loads the model. The call is made again every
	// second.
	Loading bool
	// Read is how many tokens of the prompt the server has read, of Total; both are 0 if it does not
	// say. Only llama.cpp does.
	Read, Total int64
	// Others is how many other calls of this client are under way at the same server, if that is on
	// this machine. Such a server has few slots, and may work on those first.
	Others int
}

// Reading is called by a dialect when the server has said how many tokens of the prompt it has read.
func (r *Request) Reading(read, total int64) {
	if f := r.flight; f != nil && total > 0 {
		r.begun()
		f.tell(Waiting{Since: f.since, Read: max(read, 0), Total: total})
	}
}

// flights are the calls under way at servers on this machine. The zero value is ready.
type flights struct {
	mu sync.Mutex
	at map[string][]*flight // by host and port
}

// flight is one call under way. The goroutine of the call uses it, but for what is said otherwise.
type flight struct {
	in    *flights
	host  string        // "" for a server elsewhere: it is not counted
	told  func(Waiting) // [Request.OnWaiting]
	since time.Time     // when the present attempt began; only its goroutine sets it, with flights.mu

	// telling is held while told runs, so that the call goes on, and ends, after that: no news of another call comes
	// when the answer has begun or the call has ended. It is locked before flights.mu, never after it.
	telling sync.Mutex
	ended   bool // guarded by telling
	// heard says that a piece of the answer has come, and loads that the server loads the model, as far as is known.
	// They change with telling held; flights.end reads them without it.
	heard, loads atomic.Bool
}

// maxTold bounds how many waiting calls hear of the end of another one. Those behind them wait for
// many, and hear of it when they come nearer.
const maxTold = 16

// begin adds a call; the caller calls end.
func (fs *flights) begin(ep *Endpoint, told func(Waiting)) *flight {
	f := &flight{in: fs, host: here(ep.BaseURL), told: told, since: time.Now()}
	if f.host == "" {
		return f
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.at == nil {
		fs.at = map[string][]*flight{}
	}
	fs.at[f.host] = append(fs.at[f.host], f)
	return f
}

// end removes a call, and tells those that still wait at the same server that there is one less. Nothing is told
// of this call after it.
func (f *flight) end() {
	f.telling.Lock()
	f.ended = true
	f.telling.Unlock()
	if f.host == "" {
		return
	}
	f.in.mu.Lock()
	left := slices.DeleteFunc(f.in.at[f.host], func(o *flight) bool { return o == f })
	if f.in.at[f.host] = left; len(left) == 0 {
		delete(f.in.at, f.host)
	}
	var waiting []*flight
	for _, o := range left {
		if o.told != nil && !o.heard.Load() && !o.loads.Load() && len(waiting) < maxTold {
			waiting = append(waiting, o)
		}
	}
	f.in.mu.Unlock()
	for _, o := range waiting {
		o.fewer()
	}
}

// attempt begins an attempt. It is told at once what that waits for, unless the server has said that it loads the
// model: then a caller has [flight.accepted] called.
func (f *flight) attempt(loads bool) {
	f.in.mu.Lock()
	f.since = time.Now()
	f.in.mu.Unlock()
	f.telling.Lock()
	defer f.telling.Unlock()
	f.heard.Store(false)
	f.loads.Store(loads)
	if !loads {
		f.say(f.waits())
	}
}

// loading tells that the server loads the model. Whatever else runs there: it does not run.
func (f *flight) loading(since time.Time) {
	f.telling.Lock()
	defer f.telling.Unlock()
	f.loads.Store(true)
	f.say(Waiting{Since: since, Loading: true})
}

// accepted tells that the server seems to have loaded the model, because it has not refused the attempt. It may be
// called by another goroutine.
func (f *flight) accepted() {
	f.telling.Lock()
	defer f.telling.Unlock()
	f.loads.Store(false)
	if !f.heard.Load() {
		f.say(f.waits())
	}
}

// fewer tells that another call at the same server has ended, unless this one waits no longer. The goroutine of that
// call calls it.
func (f *flight) fewer() {
	f.telling.Lock()
	defer f.telling.Unlock()
	if !f.heard.Load() && !f.loads.Load() {
		f.say(f.waits())
	}
}

// waits is what the present attempt waits for.
func (f *flight) waits() Waiting {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	return Waiting{Since: f.since, Others: max(len(f.in.at[f.host])-1, 0)}
}

func (f *flight) tell(w Waiting) {
	f.telling.Lock()
	defer f.telling.Unlock()
	f.say(w)
}

// say tells, with telling held.
func (f *flight) say(w Waiting) {
	if f.told != nil && !f.ended {
		f.told(w)
	}
}

// begun notes that a piece of the answer has come. It waits for news that is being told.
func (r *Request) begun() {
	f := r.flight
	if f == nil || f.heard.Load() {
		return
	}
	f.telling.Lock()
	defer f.telling.Unlock()
	f.heard.Store(true)
}

// begin tells who listens that an attempt begins, and the caller calls over when it has ended. An attempt for which
// a loading server is asked again is news only if it is not refused within loadingEvery: then the server most
// likely reads the prompt. A recording has no such news: it would depend on how fast the replay is.
func (a *attempts) begin() (over func()) {
	f, loads := a.req.flight, !a.loading.IsZero()
	f.attempt(loads)
	if !loads || f.told == nil || a.client.Recorded() {
		return func() {}
	}
	told := make(chan struct{})
	timer := time.AfterFunc(loadingEvery, func() {
		defer close(told)
		f.accepted()
	})
	return func() {
		if !timer.Stop() {
			<-told
		}
	}
}

// loadingEvery is the wait before a server that loads its model is asked again.
const loadingEvery = time.Second

// load waits for a server that has said that it loads its model. That is no failed attempt: [Retry] does
// not count it. It ends after [Client.Silence].
func (a *attempts) load(ctx context.Context, e *Error, address string) error {
	limit := a.client.Silence(a.ep)
	if a.loading.IsZero() {
		a.loading = time.Now()
		a.client.log.Debug("the server loads the model; the call waits", "model", a.req.ModelAt(a.ep), "address", address, "most", limit)
	}
	spent := time.Since(a.loading) + a.skipped
	if spent >= limit {
		e.Message += "; it was waited for " + spent.Round(time.Second).String()
		return e.fault(opStream)
	}
	a.req.flight.loading(a.loading)
	wait := min(max(e.RetryAfter, loadingEvery), 10*loadingEvery, limit-spent)
	if a.client.retry.Immediate {
		a.skipped += wait
		wait = 0
	}
	if sleep(ctx, wait); ctx.Err() != nil {
		return ended(ctx, opStream, address)
	}
	a.trials.excuse(wait)
	return nil
}

// Loads reports whether an error says that the server loads its model, and can be called when it has.
func Loads(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.loading
}

// AwaitModels is [Client.Models] for a caller that cannot go on without the list: it waits while the server says
// that it loads its model, at most for [Client.Silence].
func (c *Client) AwaitModels(ctx context.Context, ep Endpoint) ([]Info, error) {
	for began := time.Now(); ; ep.Fresh = true {
		infos, err := c.Models(ctx, ep)
		if !Loads(err) || time.Since(began) >= c.Silence(&ep) {
			return infos, err
		}
		if sleep(ctx, loadingEvery); ctx.Err() != nil {
			return nil, ended(ctx, opModels, PublicAddress(ep.BaseURL))
		}
	}
}

// excuse leaves a wait out of the time for which a call is tried again.
func (t *trials) excuse(wait time.Duration) {
	if t.failed > 0 { // else that time has not begun
		t.since = t.since.Add(wait)
	}
}

// llamas remembers which servers are llama.cpp. The zero value knows none. Safe for concurrent use.
type llamas struct {
	mu    sync.Mutex
	hosts map[string]bool
}

// maxLlamas bounds the servers that are remembered; then all are forgotten.
const maxLlamas = 1024

// note takes over what the headers of an answer say about its server.
// Source: tools/server/server-http.cpp of llama.cpp, 2026-11: set_default_headers({{"Server", "llama.cpp"}}).
func (l *llamas) note(host string, h http.Header) {
	if h.Get("Server") != "llama.cpp" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil || len(l.hosts) >= maxLlamas {
		l.hosts = map[string]bool{}
	}
	l.hosts[host] = true
}

// at reports whether the server at an address is known to be llama.cpp.
func (l *llamas) at(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hosts[u.Host]
}

// progress has the endpoint ask for the progress of the prompt, if its server is llama.cpp and somebody
// wants to know. A recording has none: what the server is would be another thing in its replay. It reports
// whether that has changed the request.
func (a *attempts) progress() (changed bool) {
	want := a.req.OnWaiting != nil && a.req.Stream && a.client.around == nil && a.client.llamas.at(a.ep.BaseURL)
	changed = want != a.ep.PromptProgress
	a.ep.PromptProgress = want
	return changed
}
