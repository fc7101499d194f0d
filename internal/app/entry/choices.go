package entry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Choices are the flags that change what the model is told, what it is offered, and what it may cost. They hold for all
// sessions of one command. A session that is continued later has only the agent again.
type Choices struct {
	Prompt      string   // --append-system-prompt
	Tools       []string // --tools: lists of names; nil: all tools
	Servers     []string // --mcp-config: files, or JSON
	OnlyServers bool     // --strict-mcp-config
	Agent       string   // --agent
	Unsaved     bool     // --no-session
	MaxCost     float64  // --max-cost, in US dollars; 0 is no limit
}

// addFlags adds the flags to cmd.
func (c *Choices) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.Agent, "agent", "", "work as the agent with this `name`, of a file such as .github/agents/NAME.agent.md")
	f.StringVar(&c.Prompt, "append-system-prompt", "", "add this `text` to the end of the system message")
	f.StringArrayVar(&c.Tools, "tools", nil, "offer the model only these `tools`: names with commas between them, such as view,bash, mcp(SERVER) for those of an MCP server, or '' for none; repeatable")
	_ = f.SetAnnotation("tools", cli.TakesBlank, []string{"none"}) // fails for an unknown flag only
	f.StringArrayVar(&c.Servers, "mcp-config", nil, "add the MCP servers of this `FILE`, or of this JSON: {\"mcpServers\": {...}}; repeatable")
	f.BoolVar(&c.OnlyServers, "strict-mcp-config", false, "start only the MCP servers of --mcp-config, and those of the agent")
	f.BoolVar(&c.Unsaved, "no-session", false, "keep nothing of the session on the disk after the end")
	f.Float64Var(&c.MaxCost, "max-cost", 0, "end the work once the calls of models have cost this many US `dollars`, with those of sub-agents; 0 is no limit")
}

// Given names a flag that was given, "" if none was.
func (c *Choices) Given() string {
	switch {
	case c.Agent != "":
		return "--agent"
	case c.Prompt != "":
		return "--append-system-prompt"
	case c.Tools != nil:
		return "--tools"
	case c.Servers != nil:
		return "--mcp-config"
	case c.Unsaved:
		return "--no-session"
	case c.MaxCost != 0:
		return "--max-cost"
	}
	return ""
}

// check finds values that cannot be used, before there is a runtime.
func (c *Choices) check(existing string) error {
	switch {
	case c.MaxCost < 0 || math.IsNaN(c.MaxCost) || math.IsInf(c.MaxCost, 0):
		return cli.NewUsageError(fmt.Errorf("--max-cost is %v, want an amount of US dollars such as 0.50, or 0 for no limit", c.MaxCost))
	case c.Unsaved && existing != "":
		return cli.NewUsageError(fmt.Errorf("--no-session and %s contradict each other: a session that is not kept cannot be continued", existing))
	case c.OnlyServers && c.Servers == nil:
		return cli.NewUsageError(errors.New("--strict-mcp-config needs --mcp-config, which names the servers that are started"))
	case strings.ContainsRune(c.Prompt, 0):
		return cli.NewUsageError(errors.New("the text of --append-system-prompt has a NUL byte"))
	}
	return nil
}

// ledger is what is asked before every call of a model; nil if there is no limit.
func (c *Choices) ledger() *ledger.Cap {
	if c.MaxCost == 0 {
		return nil
	}
	return ledger.NewCap(c.MaxCost)
}

// apply adds the choices to the configuration of a session.
func (r *Runtime) apply(c *Choices, cfg *wire.Config) (err error) {
	cfg.Agent = c.Agent
	if c.Prompt != "" {
		cfg.SystemMessage = &wire.SystemMessageSet{Mode: "append", Content: c.Prompt}
	}
	sessions := r.Parts.Sessions
	if cfg.MCPServers, err = c.readServers(sessions.ServerFiles(), sessions.ProjectOf("")); err != nil {
		return err
	}
	for name, server := range cfg.MCPServers {
		cfg.Unread.Add(wire.UnreadServer("mcpServers."+name+".", wire.Raw(server)))
	}
	cfg.OnlyMCPServers = c.OnlyServers
	if c.Tools != nil {
		cfg.AvailableTools, err = r.offered(c, slices.Collect(maps.Keys(cfg.MCPServers)))
	}
	return err
}

// readServers are the MCP servers of --mcp-config, nil without the flag. Of a name, the last one counts. files are those of
// a home, and project is the folder of the project.
func (c *Choices) readServers(files *mcp.Files, project string) (map[string]json.RawMessage, error) {
	if c.Servers == nil {
		return nil, nil
	}
	all := map[string]json.RawMessage{}
	for _, text := range c.Servers {
		name, content := "--mcp-config", []byte(text)
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			name += " " + text
			var err error
			if content, err = ReadGiven(files.FS, text, maxServers); err != nil {
				return nil, cli.NewUsageError(fmt.Errorf("%s: %w", name, err))
			}
		}
		servers, err := files.Given(content, project)
		if err != nil {
			return nil, cli.NewUsageError(fmt.Errorf("%s: %s", timeline.ExposedPath(name), cli.Message(err)))
		}
		maps.Copy(all, servers)
	}
	return all, nil
}

// maxServers bounds a file of --mcp-config, in bytes.
const maxServers = 1 << 20

// ReadGiven reads a file that the user names on the command line: a regular one of at most that many bytes. The error
// does not name the file.
func ReadGiven(disk vfs.FS, path string, most int64) ([]byte, error) {
	info, err := disk.Stat(cli.Absolute(path))
	switch {
	case err != nil:
		return nil, cli.Reason(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > most:
		return nil, fmt.Errorf("it has %s, and at most %s are read", cli.Size(info.Size()), cli.Size(most))
	}
	data, err := disk.ReadFile(cli.Absolute(path))
	return data, cli.Reason(err)
}

// offered are the patterns of the tools of --tools. given are the MCP servers of --mcp-config.
func (r *Runtime) offered(c *Choices, given []string) ([]string, error) {
	patterns := []string{}
	builtin := names(r.Parts.Sessions.Builtin())
	for _, name := range strings.Split(strings.Join(c.Tools, ","), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		rule, err := permit.ParseRule(name)
		if err == nil && rule.Kind == permit.MCP {
			pattern, err := r.ofServer(rule, c, given)
			if err != nil {
				return nil, err
			}
			patterns = append(patterns, pattern)
			continue
		}
		switch {
		case slices.Contains(builtin, name):
			patterns = append(patterns, "builtin:"+name)
		case slices.ContainsFunc(r.servers(c, given), func(server string) bool { return strings.HasPrefix(name, server+"-") }):
			patterns = append(patterns, "mcp:"+name)
		default:
			return nil, unknownTool(name, builtin)
		}
	}
	return patterns, nil
}

// unknownTool is the error of a name in --tools that no tool has.
func unknownTool(name string, builtin []string) error {
	meant := "."
	if closest := spelling.Closest(name, builtin); closest != "" {
		meant = "; did you mean " + closest + "?"
	}
	return cli.NewUsageError(fmt.Errorf("--tools: there is no tool %s%s The built-in tools are %s; mcp(SERVER) stands for those of an MCP server",
		timeline.ExposedLine(name, maxName), meant, strings.Join(builtin, ", ")))
}

// maxName bounds a name in an error, in columns.
const maxName = 100

// ofServer is the pattern of the tools of an MCP server, or of one of them.
func (r *Runtime) ofServer(rule permit.Rule, c *Choices, given []string) (string, error) {
	if rule.Argument == "" {
		return "mcp:*", nil
	}
	server, one := rule.ServerTool()
	known := r.servers(c, given)
	if !slices.Contains(known, server) && c.Agent == "" { // an agent may bring servers of its own
		text := fmt.Sprintf("--tools: there is no MCP server %s", timeline.ExposedLine(server, maxName))
		if len(known) > 0 {
			text += "; there are " + strings.Join(known, ", ")
		}
		return "", cli.NewUsageError(errors.New(text))
	}
	if one == "" {
		return "mcp:" + server + "/*", nil
	}
	return "mcp:" + server + "-" + one, nil
}

// servers are the names of the MCP servers that sessions of this command have.
func (r *Runtime) servers(c *Choices, given []string) []string {
	if !c.OnlyServers {
		given = append(slices.Clone(given), wiring.OpenLocal(r.Parts.Config, r.Options.Sys).ServerNames()...)
	}
	slices.Sort(given)
	return slices.Compact(given)
}

// names are the names of tools, in their order.
func names(of []tool.Definition) (list []string) {
	for _, d := range of {
		list = append(list, d.Name)
	}
	slices.Sort(list)
	return list
}

// withAgents is err, the error of a session that could not be opened, with the agents that there are if none is called
// as --agent says.
func (r *Runtime) withAgents(c *Choices, err error) error {
	if c.Agent == "" || fault.KindOf(err) != fault.NotFound {
		return err
	}
	found, failed := r.Parts.Sessions.Finder().AgentFiles([]string{cli.Absolute(".")}, true)
	if failed != nil {
		return err
	}
	var known []string
	for _, d := range found {
		known = append(known, timeline.ExposedLine(d.Name, maxName))
	}
	name := timeline.ExposedLine(c.Agent, maxName)
	if slices.Contains(known, name) {
		return cli.NewUsageError(fmt.Errorf("a file of this folder defines the agent %s, but the session does not use it: it works in another folder, or only a trusted folder may replace a built-in agent; to trust this folder: sidestick trust", name))
	}
	slices.Sort(known)
	if len(known) == 0 {
		return cli.NewUsageError(fmt.Errorf("there is no agent %s: no file defines one, such as .github/agents/NAME.agent.md", name))
	}
	return cli.NewUsageError(fmt.Errorf("there is no agent %s; there are %s", name, strings.Join(slices.Compact(known), ", ")))
}

// payable returns an error if calls of the session's model have no price, although the flags limit what they cost.
func (r *Runtime) payable(ctx context.Context, s *session.Session) error {
	if r.Cost == nil {
		return nil
	}
	to, err := s.Settings().Destination(ctx)
	if err != nil || to.Missing != nil || to.Priced { // what is missing is the error of the first message
		return err
	}
	return cli.NewUsageError(fmt.Errorf("--max-cost: %w", ledger.Unpriced(to.Model)))
}
