package configcmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// encode returns typed values in the form of the file. Values of lists are separate arguments, or
// one argument that is a list in JSON. The error is a [cli.UsageError]; the rest of the check is
// that of the file.
func encode(k config.Key, values []string) (json.RawMessage, error) {
	if k.Kind == config.List && !isJSON(values, '[') {
		return marshal(values)
	}
	if len(values) > 1 {
		return nil, cli.NewUsageError(fmt.Errorf("%s takes one value, not %d; quote it for the shell", k.Name, len(values)))
	}
	value := strings.TrimSpace(values[0])
	switch k.Kind {
	case config.List, config.Table:
		if !json.Valid([]byte(value)) {
			return nil, cli.NewUsageError(fmt.Errorf("%s takes JSON, such as %s", k.Name, example(k)))
		}
		return json.RawMessage(value), nil
	case config.Switch:
		switch strings.ToLower(value) {
		case "true", "on", "yes":
			return json.RawMessage("true"), nil
		case "false", "off", "no":
			return json.RawMessage("false"), nil
		}
		return nil, cli.NewUsageError(fmt.Errorf("%s is %q, want true or false", k.Name, value))
	case config.Number:
		if strings.Trim(value, "0123456789") != "" || value == "" {
			return nil, cli.NewUsageError(fmt.Errorf("%s is %q, want a whole number", k.Name, value))
		}
		return json.RawMessage(strings.TrimLeft(value[:len(value)-1], "0") + value[len(value)-1:]), nil
	}
	return marshal(value)
}

func isJSON(values []string, begin byte) bool {
	return len(values) == 1 && strings.HasPrefix(strings.TrimSpace(values[0]), string(begin))
}

// marshal encodes a value as people write it: < stays <.
func marshal(value any) (json.RawMessage, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return json.RawMessage(strings.TrimSpace(text.String())), err
}

func example(k config.Key) string {
	if k.Kind == config.Table {
		return `'{"interrupt": "esc"}'`
	}
	return `'["one", "two"]'`
}

// check refuses a file that a command would refuse: it loads the configuration with it, and reads
// its rules and the keys of the terminal interface.
func (c *change) check(f config.File) error {
	if f.Project {
		f.Trusted = true // a setting that has no effect without trust is valid, too
	}
	cfg, err := config.Load(config.Flags{}, func(string) string { return "" }, "/", f)
	if err != nil {
		return cli.NewUsageError(err)
	}
	for _, list := range [][]string{cfg.AllowTools.Value, cfg.DenyTools.Value} {
		for _, text := range list {
			if _, err := permit.ParseRule(text); err != nil {
				return cli.NewUsageError(err)
			}
		}
	}
	if _, err := permit.ExcludedRules(cfg.SandboxExclude.Value, cfg.SandboxExclude.From); err != nil {
		return cli.NewUsageError(err)
	}
	if keys := cfg.Terminal.Keys; keys.Value != nil {
		if _, err := keymap.Default().With(keys.Value); err != nil {
			return cli.NewUsageError(fmt.Errorf("%s: %w", keys.From, err))
		}
	}
	for _, text := range cfg.Protected.Value {
		if _, err := permit.ParseProtected(text); err != nil {
			return cli.NewUsageError(err)
		}
	}
	return nil
}

// wordsOf are the values of a setting that a shell can complete.
func wordsOf(k config.Key) []string {
	if k.Kind == config.Switch {
		return []string{"true", "false"}
	}
	return k.Values
}

func directiveOf(k config.Key) cobra.ShellCompDirective {
	if k.Path || k.Name == "editor" {
		return cobra.ShellCompDirectiveDefault // files
	}
	return cobra.ShellCompDirectiveNoFileComp
}
