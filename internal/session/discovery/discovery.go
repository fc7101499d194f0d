package discovery

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
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
	// RunText runs a command in a text that is about to be sent, and MayRead says whether a file may be read for
	// it; agentID is the sub-agent that loads the text. Withheld says whether a rule is against a file. See package approval.
	RunText(ctx context.Context, agentID, command string, allowed []permit.Rule) (output, why string)
	MayRead(ctx context.Context, path string) (why string)
	Withheld(ctx context.Context, path string) (why string)
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
	peers        []string // what settings of other programs ask for that has no effect
	strange      []string // files above the working directory that were not read, because of their owners
}

// Discovery holds the instructions and skills found for a session. Its methods are safe for
// concurrent use.
type Discovery struct {
	finder    *Finder
	session   Session
	sessionID string

	reading   chan struct{} // has an element while a caller reads files, which is never the session's goroutine
	announced bool          // clients were told of the skills once; guarded by reading
	asks      atomic.Bool   // the caller that reads may wait for a client

	found  atomic.Pointer[found] // nil before the first search
	mu     sync.Mutex            // held to change what follows, or found; never across I/O
	chosen map[string]bool       // by name: skills that clients have turned on or off; replaced whole
	told   map[string][]string   // what clients were warned of last; see warn
}

// New returns a Discovery that has not looked yet.
func New(f *Finder, s Session, sessionID string) *Discovery {
	return &Discovery{finder: f, session: s, sessionID: sessionID, reading: make(chan struct{}, 1)}
}

// Refresh reads what there is now, for a run. The first time it tells the clients which skills there
// are, as session.skills_loaded.
func (d *Discovery) Refresh(ctx context.Context) error {
	_, err := d.refresh(ctx, false, nil)
	return err
}

// withheld is [Session.Withheld] while ctx has not ended.
func (d *Discovery) withheld(ctx context.Context) func(path string) (why string) {
	return func(path string) (why string) { return d.session.Withheld(ctx, path) }
}

// SearchAgain is [Discovery.Refresh] for the request of a client. [fault.Unavailable] if a search under way takes
// longer than [searchWait] because a client has not answered.
func (d *Discovery) SearchAgain(ctx context.Context) error {
	_, err := d.refresh(ctx, false, time.After(searchWait))
	return err
}

// Search is [Discovery.SearchAgain] unless there was a search.
func (d *Discovery) Search(ctx context.Context) error {
	if d.found.Load() != nil {
		return nil
	}
	return d.SearchAgain(ctx)
}

// searchWait is how long the request of a client waits for a search under way. That may wait for the same client, which
// may have sent the request before it answers: then neither would get an answer in time.
const searchWait = 2 * time.Second

// refresh is [Discovery.Refresh]; announce tells the clients in any case. One caller reads
// at a time, so that the newest result is the one that is kept. limit ends the wait for another caller that waits for a
// client.
func (d *Discovery) refresh(ctx context.Context, announce bool, limit <-chan time.Time) (*found, error) {
	if err := d.take(ctx, limit); err != nil {
		return nil, err
	}
	defer func() { <-d.reading }()
	scope, err := d.session.Scope(ctx)
	if err != nil {
		return nil, err
	}
	d.asks.Store(scope.Settings.Provider != nil)
	f := d.finder.find(scope, d.withheld(ctx))
	missing := d.provide(ctx, f)
	f.skills.Warnings = append(f.skills.Warnings, missing...)
	withheld := d.keep(ctx, f)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := d.warn(ctx, SkillProvider, "", missing, " ", ""); err != nil {
		return nil, err
	}
	if announce || !d.announced {
		if err := d.session.Emit(ctx, skillsLoaded(f.skills)); err != nil {
			return nil, err
		}
		d.announced = true
	}
	return f, cmp.Or(
		d.warn(ctx, foreignFiles, "Not used, because another user of this machine owns them or the folder that they are in: ", f.strange, ", ",
			". To use the files of a folder of another user, work in that folder itself."),
		d.warn(ctx, peerSettings, "Settings of other programs in this folder: ", f.peers, "; ", "."),
		d.warn(ctx, changedFiles, "Agents that start nothing and send nothing elsewhere: ", f.agents.Changed, "; ", "."),
		d.warn(ctx, agentFiles, "Files of agents that are not used as they are written: ", slices.Concat(f.agents.Errors, f.agents.Warnings), "; ", "."),
		d.warn(ctx, instructionFiles, "Not used as they are written: ", f.instructions.Warnings, "; ", "."),
		d.warnOfAgent(ctx, scope.Agent, withheld),
	)
}

// take waits for the search under way, and holds reading.
func (d *Discovery) take(ctx context.Context, limit <-chan time.Time) error {
	for {
		select {
		case d.reading <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			if d.asks.Load() {
				return fault.New(fault.Unavailable, "session.skills", d.sessionID,
					"a search waits for the client that gives skills; call again when that has answered skillProvider.list or skillProvider.read, and never before it answers them itself")
			}
		}
	}
}

// Types of warnings.
const (
	changedFiles     = "folder_trust"     // about files that the user has not agreed to as they are now
	foreignFiles     = "foreign_files"    // about files of other users
	peerSettings     = "project_settings" // about settings of other programs
	agentSkills      = "agent_skills"     // about skills that an agent does not start with
	instructionFiles = "instructions"     // about instructions that are not used, or only in part
	agentFiles       = "agent_files"      // about files of agents that are not used, or only in part
	SkillProvider    = "skill_provider"   // about skills of a client
)

// warn warns the clients of problems, once for the same ones. The message begins with before, by which the problems are
// remembered, and ends with after.
func (d *Discovery) warn(ctx context.Context, kind, before string, problems []string, between, after string) error {
	d.mu.Lock()
	same := slices.Equal(problems, d.told[before])
	if d.told == nil {
		d.told = map[string][]string{}
	}
	d.told[before] = problems
	d.mu.Unlock()
	if same || len(problems) == 0 {
		return nil
	}
	if more := len(problems) - mostNamed; more > 0 {
		problems, after = problems[:mostNamed], after+fmt.Sprintf(" There are %d more.", more)
	}
	return d.session.Emit(ctx, &wire.SessionWarning{WarningType: kind, Message: before + strings.Join(problems, between) + after})
}

// mostNamed bounds the problems that a warning names.
const mostNamed = 10

// keep makes a result the current one, unless ctx has ended. It applies the choices of clients for skills, and
// reads those skills of the main agent that are on. It returns which of these the agent does not have, and why.
func (d *Discovery) keep(ctx context.Context, f *found) (withheld []string) {
	d.mu.Lock()
	chosen := d.chosen
	d.mu.Unlock()
	f.choose(chosen)
	f.agent, withheld = d.finder.agentText(ctx, f.skills, f.scope.Agent)
	for _, w := range withheld {
		f.skills.Warnings = append(f.skills.Warnings, "agent "+f.scope.Agent.Name+": "+w)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f.choose(d.chosen) // a client may have changed it in the meantime
	if ctx.Err() == nil {
		d.found.Store(f)
	}
	return withheld
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
	return d.refresh(ctx, false, time.After(searchWait))
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

// InstructionsFor returns the instructions for files that tools have read or changed, but for those whose ids are in
// given; see [prompt.Instructions.For]. It reads files.
func (d *Discovery) InstructionsFor(ctx context.Context, files, given []string) (text string, ids []string, err error) {
	f := d.found.Load()
	if f == nil || len(files) == 0 {
		return "", nil, nil
	}
	search := d.finder.instructionSearch(f.scope)
	search.Withheld = d.withheld(ctx)
	out := f.instructions.For(search, files, given)
	return out.Text, out.IDs, d.warn(ctx, instructionFiles, "Not used as they are written, in another folder: ", out.Warnings, "; ", ".")
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
