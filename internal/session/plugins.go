package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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

// warnOfPlugins reads the folders of plugins that a client names for a session in cwd. It
// returns a warning about those that cannot be used, and about parts of the others that have
// no effect; nil if there is nothing to warn of.
func (h *Home) warnOfPlugins(dirs []string, cwd string) *wire.SessionWarning {
	if len(dirs) == 0 {
		return nil
	}
	list, problems := h.Plugins.Explicit(dirs, cwd)
	var texts []string
	for _, err := range problems {
		texts = append(texts, fault.Message(err)+".")
	}
	for _, p := range list {
		if parts := h.Plugins.Unused(p); len(parts) > 0 {
			texts = append(texts, fmt.Sprintf("The plugin %s has parts that have no effect here: %s.", p.Name, strings.Join(parts, ", ")))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return &wire.SessionWarning{WarningType: "plugins", Message: strings.Join(texts, " ")}
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
