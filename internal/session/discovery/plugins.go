package discovery

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// WarnOfPlugins reads the folders of plugins that a client names for a session in cwd. It
// returns a warning about those that cannot be used, and about parts of the others that have
// no effect; nil if there is nothing to warn of.
func (f *Finder) WarnOfPlugins(dirs []string, cwd string) *wire.SessionWarning {
	if len(dirs) == 0 {
		return nil
	}
	list, problems := f.opts.Plugins.Explicit(dirs, cwd)
	var texts []string
	for _, err := range problems {
		texts = append(texts, fault.Message(err)+".")
	}
	for _, p := range list {
		if parts := f.opts.Plugins.Unused(p); len(parts) > 0 {
			texts = append(texts, fmt.Sprintf("The plugin %s has parts that have no effect here: %s.", p.Name, strings.Join(parts, ", ")))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return &wire.SessionWarning{WarningType: "plugins", Message: strings.Join(texts, " ")}
}
