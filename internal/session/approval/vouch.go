package approval

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// vouched is what this machine has granted to one session, as the session uses it. A grant
// counts if it is in here and in the log, so a crash between the two writes can lose a grant
// and never add one.
type vouched struct {
	session Session
	grants  *Grants
	logs    *slog.Logger
	now     *sessionGrants // used only on the session's goroutine, and before that starts; replaced as a whole

	writing sync.Mutex // held while the file is written
	mu      sync.Mutex // guards changed
	changed *sessionGrants
}

// change changes the grants, unless f reports that it has changed nothing. The file is written
// on another goroutine.
func (v *vouched) change(f func(*sessionGrants) bool) {
	next := v.now.clone()
	if !f(next) {
		return
	}
	v.now = next
	v.mu.Lock()
	v.changed = next
	v.mu.Unlock()
	v.session.Go("approval.grants", v.flush)
}

// flush writes the grants if they have changed since they were written. If that fails, the
// change holds as long as the session is in memory. It waits for the disk, and may be called
// on any goroutine but the session's.
func (v *vouched) flush() {
	v.writing.Lock()
	defer v.writing.Unlock()
	v.mu.Lock()
	changed := v.changed
	v.changed = nil
	v.mu.Unlock()
	if changed == nil {
		return
	}
	if err := v.grants.put(changed); err != nil {
		v.logs.Warn("the grants of the session cannot be stored; the next resume asks again", "err", err)
	}
}

// allow adds rules that were approved for the session, for these definitions of tools.
func (v *vouched) allow(rules []permit.Rule, seen definitions) {
	v.change(func(s *sessionGrants) bool {
		had := len(s.Rules)
		s.Rules = permit.ToWire(with(permit.FromWire(s.Rules, ""), rules))
		s.Tools = s.Tools.with(seen)
		return len(s.Rules) != had || len(seen) > 0
	})
}

// keep removes all rules that were approved for the session, except for those of left.
func (v *vouched) keep(left []permit.Rule) {
	v.change(func(s *sessionGrants) bool {
		had := len(s.Rules)
		s.Tools = s.Tools.without(without(permit.FromWire(s.Rules, ""), left))
		s.Rules = permit.ToWire(common(permit.FromWire(s.Rules, ""), left))
		return len(s.Rules) != had
	})
}

// Begin notes that this machine makes the session, in a folder and with a model that the
// client or the start of the program has chosen. Call it before the session's goroutine
// starts.
func (p *Permissions) Begin(folder, model string) {
	p.vouched.now = &sessionGrants{Session: p.id, Folders: []string{folder}} // not stored: the session.start event shows it
	p.GrantModel(model)
}

// Load reads what this machine has granted to the session, once its log has been read, also
// after another process has worked in it. It reports false if the session is not one of this
// machine: its log is an import, or comes from another machine or home, or was changed by
// hand. Nothing that such a log left open may be continued. Call it before the session's
// goroutine starts, or on it.
func (p *Permissions) Load() (own bool) {
	v, origin := p.vouched, p.session.State().Origin
	s, err := v.grants.session(p.id)
	if err != nil {
		v.logs.Warn("the grants of the session cannot be read; the user is asked again", "err", err)
	}
	v.now = &sessionGrants{Session: p.id}
	if s != nil && !s.Foreign {
		v.now = s.clone()
	}
	made := v.grants.madeHere(p.id, origin)
	if made {
		addText(&v.now.Folders, origin.Cwd)
	}
	own = v.grants.Own(p.id, origin)
	v.now.Adopted = v.now.Adopted || !own || !made // also of a session that a program before this mark has adopted
	return own
}

// Adopt records that grants of the log do not count, if there are any, and tells the clients
// which. From then on, the session is one of this machine. own is the result of
// [Permissions.Load]. Call it before the session's goroutine starts, once the log has been
// read.
func (p *Permissions) Adopt(own bool) error {
	if lost := p.policy.lapsed(own, p.files.read(want{primary: true})); len(lost) > 0 {
		events := []wire.Data{&wire.SessionWarning{
			WarningType: warningGrants, Message: "The log of this session contains grants that were not given on this machine, or whose record on this machine is lost. They have no effect, and you are asked again: " +
				strings.Join(lost, "; ") + ".",
		}}
		if change := p.policy.replaceApprovals(p.policy.approvals()); change != nil {
			events = append(events, change)
		}
		if err := p.session.Record("", events...); err != nil {
			return err
		}
	}
	if own {
		return nil
	}
	p.vouched.change(func(*sessionGrants) bool { return true }) // stores that it is known
	return nil
}

// warningGrants is the type of the warning about grants of a log that have no effect.
const warningGrants = "grants_without_effect"

// lapsed describes what the log grants and this machine does not. Skills and models of a
// session that this machine knows are not listed again, nor is its folder.
func (p *policy) lapsed(own bool, d disk) (lost []string) {
	var rules []string
	for _, r := range p.recorded.Approved {
		if !slices.ContainsFunc(p.approvals(), r.Same) {
			rules = append(rules, r.String())
		}
	}
	if len(rules) > 0 {
		lost = append(lost, "approvals for the session ("+listed(rules)+")")
	}
	if own && p.vouched.now.Adopted { // it was told when the session was adopted
		return lost
	}
	if model := p.recorded.Model; !p.modelGranted(model) {
		lost = append(lost, fmt.Sprintf("the model %s, whose calls go to %s", model, p.elsewhere(model)))
	}
	if d.cwd != "" && !p.startsIn(d) {
		lost = append(lost, "the working directory as a folder whose files may be used ("+d.cwd+")")
	}
	if own {
		return lost
	}
	if skills := p.recorded.SkillRules; len(skills) > 0 {
		lost = append(lost, "allowed tools of skills ("+listed(slices.Sorted(maps.Keys(skills)))+")")
	}
	return lost
}

// listed joins names, the first ten.
func listed(names []string) string {
	const most = 10
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// Store writes the grants if they have changed since they were written, so that they hold after the end of
// the process, and a fork of the session gets them. It waits for the disk; do not call it on the session's goroutine.
func (p *Permissions) Store() { p.vouched.flush() }

// GrantFolder allows a working directory that a client has chosen. Call it on the session's
// goroutine.
func (p *Permissions) GrantFolder(dir string) {
	p.vouched.change(func(s *sessionGrants) bool { return addText(&s.Folders, dir) })
}

// GrantModel allows a model that a client or the user has chosen, if its name says where its calls
// go. Call it on the session's goroutine.
func (p *Permissions) GrantModel(name string) {
	if name != "" && (state.NamesAddress(name) || p.vouched.now.Adopted) {
		p.vouched.change(func(s *sessionGrants) bool { return addText(&s.Models, name) })
	}
}

// ModelGranted reports whether a model that the log names may be called; if not, address is where
// its calls would go. A model of the session's own provider may be called, and so may one that was chosen
// on this machine. A model with a provider of its own, such as "anthropic:claude", needs that choice only
// in a session that was foreign: this user's configuration says where its calls go, but a stranger's
// log must not pick from it. Call it on the session's goroutine, once the session has a provider.
func (p *Permissions) ModelGranted(name string) (address string, ok bool) {
	return p.policy.elsewhere(name), p.policy.modelGranted(name)
}

func (p *policy) modelGranted(name string) bool {
	return p.elsewhere(name) == "" || slices.Contains(p.vouched.now.Models, name) || !p.vouched.now.Adopted && !state.NamesAddress(name)
}

// Folder returns where the session works when it is opened: in the folder that its log names if somebody
// has chosen that on this machine, else where this machine made the session, else in the folder that the
// program was started in. Nothing in a folder that only a log names is read.
// Call it before the session's goroutine starts, after [Permissions.Load].
func (p *Permissions) Folder() string {
	d := p.files.read(want{primary: true})
	if d.cwd != "" && p.policy.startsIn(d) {
		return d.cwd
	}
	if origin := p.session.State().Origin; p.vouched.grants.madeHere(p.id, origin) && origin.Cwd != "" {
		return origin.Cwd
	}
	return p.files.start
}

// GrantSkill allows the tools that a skill names, which is about to be loaded. Call it on the
// session's goroutine.
func (p *Permissions) GrantSkill(name string, allowed []string) {
	p.vouched.change(func(s *sessionGrants) bool {
		if len(allowed) == 0 || slices.Equal(s.Skills[name], allowed) {
			return false
		}
		s.Skills[name] = allowed
		return true
	})
}

func addText(list *[]string, text string) bool {
	if text == "" || slices.Contains(*list, text) {
		return false
	}
	*list = append(*list, text)
	return true
}
