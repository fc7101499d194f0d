package discovery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/peerfile"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// does says what a file starts, grants, sends or sets, a line for each, whole. What reads the file to use it reads it
// here, too: a second reader would take the file for another one.
func (a *agreeing) does(one projectfiles.Found, path string, text []byte) []string {
	switch one.Kind {
	case projectfiles.Servers:
		return serverLines(one.Entry, text)
	case projectfiles.Hooks:
		return hookLines(one.Entry, text)
	case projectfiles.Brought:
		return append(hookLines(one.Entry, text), a.peerLines(one.Entry, text)...)
	case projectfiles.Agents:
		return agentLines(path, text)
	case projectfiles.Settings:
		return settingLines(path, text)
	case projectfiles.Plugins:
		return a.pluginLines(projectOf(path, one.Path))
	case projectfiles.Skills, projectfiles.Prompts:
		if one.Ending() != ".prompt.md" {
			return textLines(text)
		}
	}
	return nil
}

// textLines says what a skill or slash command allows, and which commands are in its text.
func textLines(text []byte) (lines []string) {
	allowed, commands, err := prompt.Powers(text)
	if err != nil {
		return []string{"it is not used: " + err.Error()}
	}
	for _, tool := range allowed {
		lines = append(lines, "allows "+tool)
	}
	for _, command := range commands {
		lines = append(lines, "runs, if a rule allows it: "+command)
	}
	return lines
}

// pluginLines says in which folders the skills of a plugin are.
func (a *agreeing) pluginLines(dir string) (lines []string) {
	for _, folder := range plugin.SkillFolders(a.finder.opts.FS, dir) {
		lines = append(lines, "has skills in "+a.finder.agreedAs(a.folder, folder))
	}
	return lines
}

// settingLines says what the settings file of a project sets.
func settingLines(path string, text []byte) []string {
	file, err := config.ParseFile(path, text)
	if err != nil {
		return []string{"it cannot be read: " + fault.Message(err)}
	}
	return file.NeedsTrust()
}

// serverLines says what the servers of a file are.
func serverLines(e projectfiles.Entry, text []byte) (lines []string) {
	var fields map[string]json.RawMessage
	err := fault.DecodeObject(jsonc.Plain(text), &fields)
	var servers map[string]json.RawMessage
	if err == nil {
		servers, _, err = projectfiles.ServersIn(fields, e.ServersField())
	}
	if err != nil {
		return []string{"it cannot be read: " + err.Error()}
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		lines = append(lines, serverPowers(name, servers[name])...)
	}
	return lines
}

// serverPowers says what one server is: the program with its folder and its variables, or the address with its
// headers; and, in a line for each, which variables of the user it gets.
func serverPowers(name string, written json.RawMessage) []string {
	var fields map[string]json.RawMessage
	var server wire.MCPServerConfig
	config, err := []byte(nil), json.Unmarshal(written, &fields)
	if err == nil { // a name that comes twice has its last value, and the fields are read in the order of their names
		config, err = json.Marshal(fields)
	}
	if err == nil {
		err = json.Unmarshal(config, &server)
	}
	if err != nil {
		return []string{name + ": it does not start, because it cannot be read"}
	}
	var with, words []string
	if server.Cwd != "" {
		with = append(with, "in the folder "+shellword.Quote(server.Cwd))
	}
	for _, variable := range slices.Sorted(maps.Keys(server.Env)) {
		with = append(with, "with "+shellword.Quote(variable)+"="+shownValue(variable, server.Env[variable]))
	}
	for _, header := range slices.Sorted(maps.Keys(server.Headers)) {
		with = append(with, "with the header "+shellword.Quote(header+": "+server.Headers[header]))
	}
	if server.Command != "" {
		words = append(words, server.Command)
	}
	for _, arg := range server.Args {
		words = append(words, shellword.Quote(arg))
	}
	if server.URL != "" {
		words = append(words, server.URL)
	}
	to := strings.Join(slices.DeleteFunc([]string{server.Command, server.URL}, func(at string) bool { return at == "" }), " and ")
	if len(with) > 0 {
		name += " (" + strings.Join(with, ", ") + ")"
	}
	lines := []string{name + " = " + strings.Join(words, " ")}
	for _, variable := range variablesIn(config) {
		lines = append(lines, "sends the variable "+variable+" of your environment to "+to)
	}
	return lines
}

// variablesIn returns the variables of the user that a configuration refers to.
func variablesIn(config []byte) []string {
	names := map[string]bool{}
	var value any
	if json.Unmarshal(config, &value) != nil {
		return nil
	}
	for _, text := range projectfiles.Strings(value) {
		projectfiles.References(text, func(inside string) string {
			if name, _, _ := projectfiles.Variable(inside); inside != "workspaceFolder" && !strings.HasPrefix(inside, "input:") {
				names[name] = true
			}
			return ""
		})
	}
	return slices.Sorted(maps.Keys(names))
}

// shownValue is the value of a variable. What looks like a key of the user is shown so that a change of it is seen.
func shownValue(name, value string) string {
	if !obs.NamesSecret(name) || len(value) < shortestKey || strings.ContainsAny(value, "$/\\ \t\n=") {
		return shellword.Quote(value)
	}
	sum := sha256.Sum256([]byte(value))
	return fmt.Sprintf("a key of %d characters, SHA-256 %s…", len([]rune(value)), hex.EncodeToString(sum[:4]))
}

// shortestKey is the length from which the value of a variable like API_KEY is taken for a key, in bytes.
const shortestKey = 16

// hookValues returns the texts of hooks that may name scripts.
func hookValues(e projectfiles.Entry, text []byte) (values []string) {
	hooks, _ := peerfile.ParseHooks(text, e.OfClaude()) // one that cannot be read has no hooks
	for _, h := range hooks.List {
		values = append(values, h.Text, h.Dir)
		for _, name := range slices.Sorted(maps.Keys(h.Env)) {
			values = append(values, h.Env[name])
		}
	}
	return values
}

func hookLines(e projectfiles.Entry, text []byte) (lines []string) {
	hooks, err := peerfile.ParseHooks(text, e.OfClaude())
	if err != nil {
		return []string{"its hooks cannot be read: " + err.Error()}
	}
	for _, h := range hooks.List {
		lines = append(lines, h.Line())
	}
	return lines
}

// peerLines says what settings of another program allow.
func (a *agreeing) peerLines(e projectfiles.Entry, text []byte) (lines []string) {
	if e.Powers&projectfiles.Grants == 0 { // only its hooks are read
		return nil
	}
	s, err := peerfile.ParseSettings(text, peerfile.Origin{Project: a.folder, Home: a.finder.opts.UserHome})
	if err != nil {
		return nil // hookLines has said it
	}
	for _, r := range s.Allow {
		lines = append(lines, "allows "+r.String())
	}
	folders, _ := a.finder.peerFolders(s.Folders, a.folder) // the list of what has no effect has the others
	for _, folder := range folders {
		lines = append(lines, "works also in "+folder)
	}
	return lines
}

// agentLines says what an agent starts, and where it sends something.
func agentLines(path string, text []byte) (lines []string) {
	d, ok := prompt.ParseAgent(path, text)
	if !ok {
		return nil
	}
	if d.Model != "" && !strings.EqualFold(d.Model, "inherit") { // which is that of the session
		lines = append(lines, "the conversation of the agent goes to the model "+d.Model)
	}
	for _, name := range slices.Sorted(maps.Keys(d.MCPServers)) {
		lines = append(lines, serverPowers(name, d.MCPServers[name])...)
	}
	return lines
}
