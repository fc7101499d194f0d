package session

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Discovery is what the session finds in folders: instructions and skills.
func (s *Session) Discovery() *discovery.Discovery { return s.discovery }

// discoveryHost is a session as its discovery sees it; it implements
// [discovery.Session].
type discoveryHost struct{ s *Session }

func (h discoveryHost) Scope(ctx context.Context) (discovery.Scope, error) {
	return mailbox.Ask(ctx, h.s.log.Post, func() (discovery.Scope, error) {
		search := h.s.config.search
		search.SkipInstructions = h.s.log.State().SkipsInstructions
		main := h.s.agents.Main()
		if h.s.config.agentPromptOff {
			main.Prompt = ""
		}
		return discovery.Scope{Settings: search, Cwd: h.s.log.State().Cwd, Root: h.s.log.State().GitRoot, Agent: main}, nil
	})
}

func (h discoveryHost) Emit(ctx context.Context, event wire.Data) error {
	return h.s.log.Post(ctx, func() error {
		if _, warns := event.(*wire.SessionWarning); warns {
			h.s.log.RecordOrEmit("", event)
		} else {
			h.s.log.Emit("", event)
		}
		return nil
	})
}

// RunText implements [discovery.Session].
func (h discoveryHost) RunText(ctx context.Context, agentID, command string, allowed []permit.Rule) (output, why string) {
	shell, err := mailbox.Ask(ctx, h.s.log.Post, func() (tool.Tool, error) { return h.s.tools.shell(), nil })
	if err = cmp.Or(err, h.s.readHooks(ctx)); err != nil { // a command can be sent before the first run
		return "", err.Error()
	}
	return h.s.permissions.RunText(ctx, approval.Text{Shell: shell, AgentID: agentID, Command: command, Allowed: allowed, Before: h.s.hooks.PreToolUse})
}

func (h discoveryHost) Withheld(ctx context.Context, path string) (why string) {
	return h.s.permissions.Withheld(ctx, path)
}

func (h discoveryHost) MayRead(ctx context.Context, path string) (why string) {
	return h.s.permissions.MayRead(ctx, path)
}

// look reads what a run needs from files: hooks itself, and instructions and skills with search. It reads them
// on the caller's goroutine, which is not the session's.
func (s *Session) look(ctx context.Context, search func(context.Context) error) error {
	if err := cmp.Or(s.readHooks(ctx), search(ctx)); err != nil {
		return err
	}
	return s.agents.PrepareMain(ctx)
}

// readHooks reads the hook files, on the caller's goroutine.
func (s *Session) readHooks(ctx context.Context) error {
	where, err := hookSearch(ctx, s)
	if err == nil {
		s.hooks.ReadFiles(where)
	}
	return err
}

// SkillListing implements [tool.SkillLoader].
func (h host) SkillListing() string { return h.s.discovery.Listing() }

// LoadSkill implements [tool.SkillLoader]. Warnings are recorded when the session loads a skill for the first time.
func (h host) LoadSkill(ctx context.Context, agentID, name string) ([]wire.Data, error) {
	skill, warnings, err := h.s.discovery.LoadSkill(ctx, agentID, name)
	if err != nil {
		return nil, err
	}
	events := []wire.Data{skill.Invoked("agent-invoked")}
	before, err := mailbox.Ask(ctx, h.s.log.Post, func() (bool, error) {
		h.s.permissions.GrantSkill(skill.Name, skill.AllowedTools)
		_, before := h.s.log.State().SkillRules[skill.Name]
		return before, nil
	})
	if err != nil || before {
		return events, err
	}
	return append(events, warnings...), nil
}

// InvokedSkills are the skills that were loaded in this conversation, the newest
// last; never nil.
func (s *Session) InvokedSkills(ctx context.Context) ([]wire.SkillLoaded, error) {
	cuts, err := mailbox.Ask(ctx, s.log.Do, func() (state.Spans, error) { return s.log.State().Cuts(), nil })
	if err != nil {
		return nil, err
	}
	return discovery.InvokedSkills(cuts.Kept(s.log.Read(ctx, 1)))
}

// PluginsOf returns the plugins that a session uses; see [discovery.Finder.Plugins].
func PluginsOf(ctx context.Context, s *Session) ([]plugin.Plugin, error) {
	scope, err := discoveryHost{s}.Scope(ctx)
	if err != nil {
		return nil, err
	}
	list, _ := s.home.Finder.Plugins(scope)
	return list, nil
}

// brought returns the folders whose files start or grant something in a session, and where links in
// the places of such files lead, with what the settings of the repository name as programs; see [permit.Rules.Brought] and [permit.Rules.Linked]. It reads files. There are none once the session has been closed.
func brought(ctx context.Context, s *Session) (folders, linked []string) {
	scope, err := discoveryHost{s}.Scope(ctx)
	if err != nil {
		return nil, nil
	}
	folders = s.home.Finder.Brought(scope)
	linked = append(s.home.Finder.Linked(scope, folders), effects.NamedByGit(scope.Cwd, s.home.UserHome)...)
	if guard := s.tools.guard.Load(); guard != nil {
		ends, repositories := guard.Places(scope.Cwd)
		linked = append(linked, ends...)
		for _, in := range repositories {
			linked = append(linked, effects.NamedByGit(in, s.home.UserHome)...)
		}
	}
	return folders, linked
}

// peerRules is what the settings of other programs in the project say; see [approval.Options]. It reads files.
func peerRules(ctx context.Context, s *Session) (p approval.Project) {
	scope, err := discoveryHost{s}.Scope(ctx)
	if err != nil {
		return p
	}
	found := s.home.Finder.PeerSettings(scope)
	p.Rules, p.Refuses = permit.Rules{Deny: found.Deny, Ask: found.Ask, Allow: found.Allow}, found.Refuses
	p.Rules.Folders.More = found.Folders
	return p
}

// hookSearch is where a session looks for hook files.
func hookSearch(ctx context.Context, s *Session) (hook.FileSearch, error) {
	type search struct {
		where hook.FileSearch
		scope discovery.Scope
	}
	found, err := mailbox.Ask(ctx, s.log.Post, func() (search, error) {
		where := hook.FileSearch{Cwd: s.log.State().Cwd, Root: s.log.State().GitRoot, Switch: s.config.fileHooks}
		if s.config.hooksLater {
			where.Switch = hook.Off
		}
		return search{where, discovery.Scope{Settings: s.config.search, Cwd: s.log.State().Cwd}}, nil
	})
	if err != nil {
		return hook.FileSearch{}, err
	}
	list, _ := s.home.Finder.Plugins(found.scope) // the client has been warned of problems
	found.where.Plugins = hook.OfPlugins(list)
	return found.where, nil
}
