package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// items is the result of a command that lists something; none is what it says if there is nothing.
func items(list []string, err error, none string) (wire.CommandResult, error) {
	if len(list) == 0 {
		list = []string{none}
	}
	return rows(list, err)
}

// item is a row of a list. Its texts may be those of files. state and source are "" if there is none.
func item(name, state, source, about string) string {
	row := "  " + timeline.Pad(timeline.ExposedLine(name, 40), 20) + " "
	if state != "" {
		row += timeline.ExposedLine(state, 20) + "  "
	}
	if source != "" {
		row += "(" + timeline.ExposedLine(source, 20) + ")  "
	}
	return row + timeline.OneLine(about, widest)
}

// lists are the commands that show what the session has.
type lists struct{ *Commands }

// servers lists the MCP servers of the session with their states.
func (c lists) servers(ctx context.Context, _ string) (wire.CommandResult, error) {
	got, err := c.session.Servers().List(ctx)
	var list []string
	for _, m := range got.Servers {
		list = append(list, item(m.Name, string(m.Status), string(wire.OrZero(m.Source)), wire.OrZero(m.Error)))
	}
	return items(list, err, "there are no MCP servers; sidestick mcp add adds one")
}

// agents lists the agents that the session can call or be led by.
func (c lists) agents(ctx context.Context, _ string) (wire.CommandResult, error) {
	got, err := c.session.Agents(ctx)
	var list []string
	for _, a := range got {
		list = append(list, item(a.Name, "", string(wire.OrZero(a.Source)), a.Description))
	}
	return items(list, err, "there are no agents")
}

// skills lists the skills, also those that are off, and the prompts in files.
func (c lists) skills(ctx context.Context, _ string) (wire.CommandResult, error) {
	got, err := c.discovery.Skills(ctx)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, k := range got {
		state := ""
		if !k.Enabled {
			state = "off"
		}
		list = append(list, item(k.Name, state, string(k.Source), k.Description))
	}
	files, err := c.Files(ctx)
	for _, k := range files {
		list = append(list, item("/"+k.Name, "", "prompt file", k.Description))
	}
	return items(list, err, "there are no skills and no prompts in files; docs/prompts.md says where they are looked for")
}

// plugins lists the plugins that the session uses.
func (c lists) plugins(ctx context.Context, _ string) (wire.CommandResult, error) {
	got, err := c.session.Plugins(ctx)
	var list []string
	for _, p := range got {
		state := ""
		if !p.Enabled {
			state = "off"
		}
		list = append(list, item(p.Name, state, p.Marketplace, p.Version))
	}
	return items(list, err, "there are no plugins; sidestick plugin install installs one")
}

// memory lists the files with instructions, and when the model reads them.
func (c lists) memory(ctx context.Context, _ string) (wire.CommandResult, error) {
	got, err := c.discovery.Instructions(ctx)
	var list []string
	for _, i := range got {
		list = append(list, "  "+timeline.Pad(string(i.Location), 12)+timeline.ExposedPath(i.SourcePath)+": read "+WhenRead(i))
	}
	return items(list, err, "there are no files with instructions, and the model remembers nothing of other sessions; /init has the agent write AGENTS.md")
}

// WhenRead says when the model reads a file with instructions.
func WhenRead(i wire.InstructionSource) string {
	if len(i.ApplyTo) > 0 {
		return "when the model works on " + timeline.ExposedLine(strings.Join(i.ApplyTo, ", "), widest)
	}
	return "with every message"
}

// env shows what the session has found around it.
func (c lists) env(ctx context.Context, _ string) (wire.CommandResult, error) {
	cwd, err := c.session.Cwd(ctx)
	if err != nil {
		return nil, err
	}
	texts, err := c.discovery.Instructions(ctx)
	if err != nil {
		return nil, err
	}
	servers, err := c.session.Servers().List(ctx)
	if err != nil {
		return nil, err
	}
	skills, err := c.discovery.Skills(ctx)
	if err != nil {
		return nil, err
	}
	agents, err := c.session.Agents(ctx)
	of := func(n int, by string) string { return fmt.Sprintf("%d; %s lists them", n, by) }
	return rows([]string{
		pair("folder", timeline.ExposedPath(cwd)),
		pair("instructions", of(len(texts), "/memory")),
		pair("MCP servers", of(len(servers.Servers), "/mcp")),
		pair("skills", of(len(skills), "/skills")),
		pair("agents", of(len(agents), "/agents")),
	}, err)
}
