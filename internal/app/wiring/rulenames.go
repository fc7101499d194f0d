package wiring

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// CheckRuleNames refuses rules of the command line that name a tool which no session of
// this process has, because such a rule would silently do nothing. It is for commands whose
// sessions have only the built-in tools and those of the MCP servers that servers names; nil: there
// are none. The error is a [cli.UsageError].
func CheckRuleNames(cfg config.Config, servers func() []string) error {
	if servers == nil {
		servers = func() []string { return nil }
	}
	for _, p := range ruleProblems(cfg, sync.OnceValue(servers)) {
		return cli.NewUsageError(fault.New(fault.Invalid, "permissions", p.from, "%s", p.text))
	}
	return nil
}

// WarnOfRuleNames logs rules that look misspelt. It is for servers: a client may still
// define a tool with that name.
func WarnOfRuleNames(cfg config.Config, log *slog.Logger) {
	for _, p := range ruleProblems(cfg, func() []string { return nil }) {
		if p.meant != "" {
			log.Warn("a permission rule may do nothing: "+p.text, "from", p.from)
		}
	}
}

// ruleProblem is what is wrong with a rule that names a tool.
type ruleProblem struct {
	from, text string
	meant      string // the rule that was probably meant, "" if that is not known
}

// ruleProblems finds the rules whose tool is none of the built-in ones, and those that
// cannot have an effect. Rules that cannot be parsed are left to [Build]. servers returns the names
// of MCP servers whose tools rules can name.
func ruleProblems(cfg config.Config, servers func() []string) []ruleProblem {
	if len(cfg.AllowTools.Value)+len(cfg.DenyTools.Value) == 0 {
		return nil // the definitions of the tools need not be read
	}
	tools := []string{extensions.ConfirmationTool}
	for _, d := range Definitions(cfg) {
		tools = append(tools, d.Name)
	}
	var found []ruleProblem
	check := func(given config.Setting[[]string], about func(name string, tools []string) (text, meant string)) {
		for _, text := range given.Value {
			rule, err := permit.ParseRule(text)
			if err != nil || rule.Argument == "" {
				continue
			}
			var wrong, meant string
			switch rule.Kind {
			case permit.CustomTool:
				wrong, meant = about(rule.Argument, tools)
			case permit.MCP:
				wrong, meant = serverName(rule, servers())
			}
			if wrong != "" && (rule.Kind == permit.MCP || !namesServer(rule.Argument, servers())) {
				found = append(found, ruleProblem{given.From, fmt.Sprintf("%q: %s", text, wrong), meant})
			}
		}
	}
	check(cfg.AllowTools, allowingName)
	check(cfg.DenyTools, denyingName)
	return found
}

// allowingName says what is wrong with allowing a tool by its name, "" if nothing is. The
// rules of built-in tools are those of what the tools do: to allow edit and not create would
// protect nothing.
func allowingName(name string, tools []string) (wrong, meant string) {
	if name == extensions.ConfirmationTool {
		return "only the user can confirm, and no rule does", ""
	}
	if rule := fact.Of(name).Rule; rule != "" && slices.Contains(tools, name) {
		return fmt.Sprintf("a built-in tool is allowed by what it does; write %s", rule), rule
	}
	if kind, ok := permit.ToolKind(name); ok {
		return fmt.Sprintf("there is no such tool; did you mean %s?", kind), string(kind)
	}
	return unknownName(name, tools)
}

// namesServer reports whether the name of a tool, or of all tools of a server, is that of one of
// the MCP servers.
func namesServer(name string, servers []string) bool {
	return slices.ContainsFunc(servers, func(s string) bool { return name == s || strings.HasPrefix(name, s+"-") })
}

// serverName says what is wrong with the MCP server in a rule, "" if nothing is, or if that is not
// known: agents may bring servers of their own.
func serverName(rule permit.Rule, servers []string) (wrong, meant string) {
	name, _ := rule.ServerTool()
	if meant = spelling.Closest(name, servers); meant == "" || slices.Contains(servers, name) {
		return "", ""
	}
	return fmt.Sprintf("there is no MCP server %s; did you mean %s?", name, meant), "mcp(" + meant + ")"
}

// denyingName says what is wrong with denying a tool by its name, "" if nothing is.
func denyingName(name string, tools []string) (wrong, meant string) {
	if f := fact.Of(name); f.Name == name && f.Does == fact.Console && f.Rule == "" {
		return "this tool only reaches commands that were allowed; write bash or shell to deny those", "bash"
	}
	return unknownName(name, tools)
}

func unknownName(name string, tools []string) (wrong, meant string) {
	if slices.Contains(tools, name) {
		return "", ""
	}
	kinds := []string{string(permit.Shell), string(permit.Read), string(permit.Write), string(permit.URL)}
	if meant = spelling.Closest(name, append(kinds, tools...)); meant != "" {
		return fmt.Sprintf("there is no such tool; did you mean %s?", meant), meant
	}
	return "there is no such tool; the kinds of rules are shell, read, write, url and mcp", ""
}
