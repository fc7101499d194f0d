package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// PluginsOf returns the plugins that a session uses; see [discovery.Finder.Plugins].
func PluginsOf(ctx context.Context, s *Session) ([]plugin.Plugin, error) {
	scope, err := discoveryHost{s}.Scope(ctx)
	if err != nil {
		return nil, err
	}
	list, _ := s.reg.finder.Plugins(scope)
	return list, nil
}

// warnOfPlugins reads the folders of plugins that a client names for a session in cwd. It
// returns a warning about those that cannot be used, and about parts of the others that have
// no effect; nil if there is nothing to warn of.
func (r *Registry) warnOfPlugins(dirs []string, cwd string) *wire.SessionWarning {
	if len(dirs) == 0 {
		return nil
	}
	list, problems := r.plugins.Explicit(dirs, cwd)
	var texts []string
	for _, err := range problems {
		texts = append(texts, fault.Message(err)+".")
	}
	for _, p := range list {
		if parts := r.plugins.Unused(p); len(parts) > 0 {
			texts = append(texts, fmt.Sprintf("The plugin %s has parts that have no effect here: %s.", p.Name, strings.Join(parts, ", ")))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return &wire.SessionWarning{WarningType: "plugins", Message: strings.Join(texts, " ")}
}

// ReloadHooks reads the hook files of a session in memory anew, and returns how many hooks it
// has then. With later they are left out until the next call without it.
func (r *Registry) ReloadHooks(ctx context.Context, id string, later bool) (hooks int, err error) {
	s := r.loaded(id)
	if s == nil {
		return 0, wire.SessionNotFound(id)
	}
	if err := s.do(ctx, func() error { s.config.hooksLater = later; return nil }); err != nil {
		return 0, err
	}
	if err := s.readHooks(ctx); err != nil {
		return 0, err
	}
	return s.hooks.Commands(), nil
}

// hookSearch is where a session looks for hook files.
func hookSearch(ctx context.Context, s *Session) (hook.FileSearch, error) {
	return mailbox.Ask(ctx, s.post, func() (hook.FileSearch, error) {
		where := hook.FileSearch{Cwd: s.state.Cwd, Root: s.state.GitRoot, Switch: s.config.fileHooks}
		if s.config.hooksLater {
			where.Switch = hook.Off
		}
		return where, nil
	})
}
