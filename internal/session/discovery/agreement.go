package discovery

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/peerfile"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// Bounds of what the user agrees to by trusting a folder: the size of a file of the table, and of a program
// or script that one of them names, in bytes; and the files of one folder. What is beyond has no power.
const (
	maxAgreedFile   = projectfiles.MaxFile
	maxAgreedScript = 64 << 20
	mostAgreed      = 1000
)

// Agreement is what the user agrees to by trusting a folder as it is now.
type Agreement struct {
	// Files are the files with a power, and the scripts that they name, by their paths relative to the
	// folder, with slashes.
	Files map[string]projectfiles.Agreed
	// Order are the paths in the order of the table of package projectfiles, scripts last.
	Order []string
	// Left says what is left out, and has no power, and why.
	Left []string
}

// Agreement reads what a resolved folder has. It reads every file once; what it says of a file, and the
// digest, are of the same bytes.
func (f *Finder) Agreement(folder string) Agreement {
	a := agreeing{finder: f, folder: folder}
	a.Files = map[string]projectfiles.Agreed{}
	found, more := projectfiles.Below(f.opts.FS, folder)
	if more != "" {
		a.Left = append(a.Left, "files beyond these: "+more+"; trust a folder in it by itself")
	}
	for _, one := range found {
		a.file(one)
	}
	for _, path := range a.scripts {
		a.script(path)
	}
	return a.Agreement
}

type agreeing struct {
	Agreement
	finder  *Finder
	folder  string
	scripts []string
}

func (a *agreeing) file(one projectfiles.Found) {
	path := filepath.Join(a.folder, filepath.FromSlash(one.File))
	info, err := a.finder.opts.FS.Stat(path)
	if err != nil || info.IsDir() {
		return // a folder of that name is nothing that is read
	}
	text, err := a.read(path, maxAgreedFile)
	if err != nil {
		a.Left = append(a.Left, one.File+": "+err.Error())
		return
	}
	values := valuesOf(one.File, text)
	if one.Kind == projectfiles.Brought { // the paths of its rules are no scripts
		values = hookValues(text)
	}
	agreed := projectfiles.Agreed{Digest: projectfiles.Digest(text), Kind: fmt.Sprintf("%s: %s", one.Kind, one.Powers)}
	if a.inside(path) {
		agreed.Does = a.does(one, path, text)
	} else { // what is in it may be a secret of the user, who would print it
		agreed.Does = []string{"a link out of the folder; look at the file that it leads to"}
	}
	a.add(path, agreed)
	if one.Powers&projectfiles.Starts != 0 {
		at := projectOf(path, one.Path)
		a.scripts = append(a.scripts, projectfiles.Scripts(a.finder.opts.FS, a.finder.opts.Resolve, a.folder, []string{at}, values...)...)
	}
}

// inside reports whether a file is in the folder once its links are followed.
func (a *agreeing) inside(path string) bool {
	root, real := a.finder.opts.Resolve(a.folder), a.finder.opts.Resolve(path)
	return root != "" && (permit.Folders{Primary: root}).Contains(real)
}

// projectOf returns the folder that the path of an entry is relative to, of a file that matches it.
func projectOf(path, entry string) string {
	for range strings.Count(entry, "/") + 1 {
		path = filepath.Dir(path)
	}
	return path
}

func (a *agreeing) script(path string) {
	if _, known := a.Files[a.finder.agreedAs(a.folder, path)]; known {
		return
	}
	f, err := a.open(path, maxAgreedScript)
	digest := ""
	if err == nil {
		digest, err = projectfiles.DigestOf(f)
		_ = f.Close() // nothing was written
	}
	if err != nil {
		a.Left = append(a.Left, a.finder.agreedAs(a.folder, path)+": "+err.Error())
		return
	}
	a.add(path, projectfiles.Agreed{Digest: digest, Kind: "a file that one of these names in a command"})
}

func (a *agreeing) add(path string, agreed projectfiles.Agreed) {
	name := a.finder.agreedAs(a.folder, path)
	switch _, known := a.Files[name]; {
	case name == "" || known:
	case len(a.Files) >= mostAgreed:
		a.Left = append(a.Left, fmt.Sprintf("%s: the folder has more than %d such files", name, mostAgreed))
	default:
		a.Files[name] = agreed
		a.Order = append(a.Order, name)
	}
}

// agreedAs is the path of a file relative to a resolved folder, with slashes, as it is kept: the links of the folder
// that it lies in are resolved. "" if it is not in the folder.
func (f *Finder) agreedAs(folder, path string) string {
	at := f.opts.Resolve(filepath.Dir(path))
	rel, err := filepath.Rel(folder, filepath.Join(at, filepath.Base(path)))
	if at == "" || err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// open opens a regular file of at most that many bytes.
func (a *agreeing) open(path string, most int64) (io.ReadCloser, error) {
	info, err := a.finder.opts.FS.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("it is not a file of at most %d MiB", most>>20)
	}
	return a.finder.opts.FS.OpenFile(path, os.O_RDONLY, 0)
}

func (a *agreeing) read(path string, most int64) ([]byte, error) {
	f, err := a.open(path, most)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it has more than %d MiB", most>>20)
	}
	return text, err
}

// valuesOf returns the texts in a file: the strings of JSON, or all of it.
func valuesOf(name string, text []byte) []string {
	var document any
	if !strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".jsonc") || json.Unmarshal(jsonc.Plain(text), &document) != nil {
		return []string{string(text)}
	}
	return projectfiles.Strings(document)
}

// Bounds of what is kept of a file to show it: lines, and bytes of each.
const mostLines, longestLine = 50, 400

// does says what a file starts, grants or sends, a line for each.
func (a *agreeing) does(one projectfiles.Found, path string, text []byte) (lines []string) {
	switch one.Kind {
	case projectfiles.Servers:
		lines = serverLines(text)
	case projectfiles.Hooks:
		lines = hookLines(text)
	case projectfiles.Brought:
		lines = append(hookLines(text), a.peerLines(text)...)
	case projectfiles.Agents:
		lines = agentLines(path, text)
	case projectfiles.Skills, projectfiles.Prompts:
		if !strings.HasSuffix(one.File, ".prompt.md") {
			lines = textLines(string(text))
		}
	}
	for i, line := range lines {
		if len(line) > longestLine {
			lines[i] = strings.ToValidUTF8(line[:longestLine], "") + "…"
		}
	}
	if n := len(lines) - mostLines; n > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more", n))
	}
	return lines
}

// textLines says what the text of a skill or slash command allows, and which commands it has.
func textLines(text string) (lines []string) {
	if front, _, ok := strings.Cut(strings.TrimPrefix(text, "---"), "\n---"); ok {
		for line := range strings.Lines(front) {
			if rest, ok := strings.CutPrefix(line, "allowed-tools:"); ok && strings.TrimSpace(rest) != "" {
				lines = append(lines, "allows "+strings.TrimSpace(rest))
			}
		}
	}
	for _, command := range prompt.TextCommands(text) {
		lines = append(lines, "runs, if a rule allows it: "+command)
	}
	return lines
}

func serverLines(text []byte) (lines []string) {
	var file struct {
		Claude map[string]json.RawMessage `json:"mcpServers"`
		Editor map[string]json.RawMessage `json:"servers"`
	}
	var fields map[string]json.RawMessage
	plain := jsonc.Plain(text)
	if json.Unmarshal(plain, &file) != nil || json.Unmarshal(plain, &fields) != nil {
		return []string{"it cannot be read"}
	}
	for _, servers := range []map[string]json.RawMessage{file.Claude, file.Editor, projectfiles.FlatServers(fields)} {
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			lines = append(lines, name+" = "+serverText(servers[name]))
		}
	}
	return lines
}

// serverText is the command or the address of a server, and the variables that it sets.
func serverText(config json.RawMessage) string {
	var server struct {
		Command string         `json:"command"`
		Args    []string       `json:"args"`
		URL     string         `json:"url"`
		Env     map[string]any `json:"env"`
		Dir     string         `json:"cwd"`
	}
	if json.Unmarshal(config, &server) != nil {
		return "it cannot be read"
	}
	text := strings.TrimSpace(strings.Join(append([]string{server.Command}, server.Args...), " ") + " " + server.URL)
	if server.Dir != "" {
		text += " in " + server.Dir
	}
	for _, name := range slices.Sorted(maps.Keys(server.Env)) {
		value := fmt.Sprint(server.Env[name])
		if obs.NamesSecret(name) && !strings.HasPrefix(value, "$") {
			value = "…"
		}
		text += " " + name + "=" + value
	}
	return text
}

// hookValues returns the texts of hooks that may name scripts.
func hookValues(text []byte) (values []string) {
	hooks, _ := peerfile.ParseHooks(text, false) // one that cannot be read has no hooks
	for _, h := range hooks.List {
		values = append(values, h.Text, h.Dir)
		for _, name := range slices.Sorted(maps.Keys(h.Env)) {
			values = append(values, h.Env[name])
		}
	}
	return values
}

func hookLines(text []byte) (lines []string) {
	hooks, err := peerfile.ParseHooks(text, false)
	if err != nil {
		return []string{"it cannot be read"}
	}
	for _, h := range hooks.List {
		lines = append(lines, h.Line())
	}
	return lines
}

// peerLines says what settings of another program allow.
func (a *agreeing) peerLines(text []byte) (lines []string) {
	s, err := peerfile.ParseSettings(text, peerfile.Origin{Project: a.folder, Home: a.finder.opts.UserHome})
	if err != nil {
		return nil // hookLines has said it
	}
	for _, r := range s.Allow {
		lines = append(lines, "allows "+r.String())
	}
	for _, folder := range s.Folders {
		lines = append(lines, "works also in "+folder)
	}
	return lines
}

func agentLines(path string, text []byte) (lines []string) {
	d, ok := prompt.ParseAgent(path, text)
	if !ok {
		return nil
	}
	for name, config := range d.MCPServers {
		lines = append(lines, name+" = "+serverText(config))
	}
	slices.Sort(lines)
	if d.Model != "" && !strings.EqualFold(d.Model, "inherit") { // which is that of the session
		lines = append([]string{"the conversation of the agent goes to the model " + d.Model}, lines...)
	}
	return lines
}
