package discovery

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the session that a [Discovery] reads for. Its methods are safe for concurrent use and are
// never called on the session's own goroutine. Both return [fault.NotFound] once the
// session has been closed, and ctx.Err() if ctx ends first.
type Session interface {
	// Scope says where to search now.
	Scope(ctx context.Context) (Scope, error)
	// Emit sends an event to the attached clients. Of the events only warnings may be recorded.
	Emit(ctx context.Context, event wire.Data) error
}

// Scope is everything that decides what a search finds, except the files themselves.
type Scope struct {
	Settings Settings
	// Cwd is the working directory, Root its git repository, "" for none.
	Cwd, Root string
	// Agent is the main agent; its skills are read with its instructions.
	Agent agent.Definition
}

// same reports whether a search finds the same in both. Of the client that gives skills, only which one it is counts.
func (s Scope) same(other Scope) bool {
	if s.Settings.Provider != other.Settings.Provider {
		return false
	}
	s.Settings.Provider, other.Settings.Provider = nil, nil
	return reflect.DeepEqual(s, other)
}

// found is the result of a search. It does not change.
type found struct {
	scope        Scope
	instructions prompt.Instructions
	skills       prompt.Skills
	agents       prompt.Agents
	text         string   // of the instructions, for the model
	agent        string   // instructions of the main agent; "" for the default agent
	strange      []string // files above the working directory that were not read, because of their owners
}

// Discovery holds the instructions and skills found for a session. Its methods are safe for
// concurrent use.
type Discovery struct {
	finder    *Finder
	session   Session
	sessionID string

	reading   sync.Mutex // held by the caller that reads files, never by the session's goroutine
	announced bool       // clients were told of the skills once; guarded by reading
	reported  []string   // the files that clients were warned of last; guarded by reading
	refused   []string   // the same, of files that the user has not agreed to; guarded by reading
	missed    string     // what clients were warned of last about the skills of a client; guarded by reading

	found  atomic.Pointer[found] // nil before the first search
	mu     sync.Mutex            // held to change found or chosen; never across I/O
	chosen map[string]bool       // by name: skills that clients have turned on or off; replaced whole
}

// New returns a Discovery that has not looked yet.
func New(f *Finder, s Session, sessionID string) *Discovery {
	return &Discovery{finder: f, session: s, sessionID: sessionID}
}

// Refresh reads what there is now. The first time it tells the clients which skills there
// are, as session.skills_loaded.
func (d *Discovery) Refresh(ctx context.Context) error {
	_, err := d.refresh(ctx, false)
	return err
}

// refresh is [Discovery.Refresh]; announce tells the clients in any case. One caller reads
// at a time, so that the newest result is the one that is kept.
func (d *Discovery) refresh(ctx context.Context, announce bool) (*found, error) {
	d.reading.Lock()
	defer d.reading.Unlock()
	scope, err := d.session.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := d.finder.find(scope)
	if err := d.provide(ctx, f); err != nil {
		return nil, err
	}
	d.keep(f)
	if announce || !d.announced {
		if err := d.session.Emit(ctx, skillsLoaded(f.skills)); err != nil {
			return nil, err
		}
		d.announced = true
	}
	if err := d.report(ctx, f.strange); err != nil {
		return nil, err
	}
	return f, d.refuse(ctx, f.agents.Refused)
}

// changedFiles is the type of the warning about files that the user has not agreed to as they are now.
const changedFiles = "folder_trust"

// refuse warns of files of agents that are not as the user has agreed to, once for each state of them. The caller
// holds reading.
func (d *Discovery) refuse(ctx context.Context, refused []string) error {
	if len(refused) == 0 || slices.Equal(refused, d.refused) {
		return nil
	}
	d.refused = refused
	names, more := refused, ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf("; and %d more", n)
	}
	return d.session.Emit(ctx, &wire.SessionWarning{WarningType: changedFiles, Message: "Agents that are not used: " + strings.Join(names, "; ") + more + "."})
}

// foreignFiles is the type of the warning about files of other users.
const foreignFiles = "foreign_files"

// report warns the clients of files above the working directory that are not used because of their
// owners, once for the same ones. The caller holds d.reading.
func (d *Discovery) report(ctx context.Context, strange []string) error {
	if len(strange) == 0 || slices.Equal(strange, d.reported) {
		return nil
	}
	d.reported = strange
	names, more := strange, ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return d.session.Emit(ctx, &wire.SessionWarning{WarningType: foreignFiles, Message: "Not used, because another user of this machine owns them or the folder that they are in: " +
		strings.Join(names, ", ") + more + ". To use the files of a folder of another user, work in that folder itself."})
}

// mostNamed bounds the files that the warning names.
const mostNamed = 10

// keep makes a result the current one. It applies the choices of clients for skills, and
// reads those skills of the main agent that are on.
func (d *Discovery) keep(f *found) {
	d.mu.Lock()
	chosen := d.chosen
	d.mu.Unlock()
	f.choose(chosen)
	f.agent = d.finder.agentText(f, f.scope.Agent)
	d.mu.Lock()
	defer d.mu.Unlock()
	f.choose(d.chosen) // a client may have changed it in the meantime
	d.found.Store(f)
}

func (f *found) choose(chosen map[string]bool) {
	for name, on := range chosen {
		f.skills.Enable(name, on)
	}
}

// known is the last result; it searches if there is none, or none for the present scope.
func (d *Discovery) known(ctx context.Context) (*found, error) {
	scope, err := d.session.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if f := d.found.Load(); f != nil && f.scope.same(scope) {
		return f, nil
	}
	return d.refresh(ctx, false)
}

// Texts are the instructions that were found last and those of the main agent, as the
// model reads them; "" before the first search and after [Discovery.Forget].
func (d *Discovery) Texts() (instructions, agent string) {
	if f := d.found.Load(); f != nil {
		return f.text, f.agent
	}
	return "", ""
}

// Forget frees what only a run needs: an idle session keeps its lists of skills and agents,
// and no texts.
func (d *Discovery) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.found.Load(); f != nil {
		d.found.Store(&found{skills: f.skills, agents: f.agents})
	}
}

// Instructions returns the instructions of the session; never nil. It searches first if
// necessary.
func (d *Discovery) Instructions(ctx context.Context) ([]wire.InstructionSource, error) {
	f, err := d.known(ctx)
	if err != nil {
		return nil, err
	}
	return f.instructions.Wire(), nil
}
