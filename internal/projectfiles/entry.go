package projectfiles

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is what a file is for.
type Kind string

// The kinds, in the order of the table.
const (
	Instructions Kind = "instructions"
	Skills       Kind = "skills"
	Agents       Kind = "agents"
	Prompts      Kind = "prompts"
	Hooks        Kind = "hooks"
	Servers      Kind = "MCP servers"
	Settings     Kind = "settings"
	Brought      Kind = "settings of other programs"
	Plugins      Kind = "plugins"
	Marketplaces Kind = "marketplaces"
	Repository   Kind = "git repository"
	State        Kind = "state of the program"
)

// Place is the folder that the path of an entry begins in.
type Place string

const (
	Root     Place = "project"           // the root of the git repository or, outside of one, the working directory
	Ends     Place = "project and cwd"   // the same, and the working directory
	Way      Place = "project to cwd"    // every folder from the root down to the working directory
	Home     Place = "SIDESTICK_HOME"    // the program's own folder of the user
	UserHome Place = "~"                 // the user's home folder
	Config   Place = "~/.config"         // the user's folder for settings: $XDG_CONFIG_HOME, or %APPDATA%
	Plugin   Place = "plugin"            // the folder of a plugin
	Market   Place = "marketplace"       // the folder of a marketplace
	Client   Place = "named by a client" // a folder that a client names, in skillDirectories, instructionDirectories or agentDirectories
)

// inProject are the places that a project consists of.
var inProject = []Place{Root, Ends, Way}

// Power is what a file can make the program do, apart from what the model reads in it. Zero is
// nothing: the file is only text for the model, or data of the program that starts, grants and sends
// nothing.
type Power uint8

const (
	Starts Power = 1 << iota // it names programs that the program starts by itself
	Grants                   // it allows tools that the user would be asked about
	Sends                    // it names an address or a model that conversations, or arguments of tools, are sent to
	Speaks                   // its text is sent as a message of the user
	Sets                     // it chooses settings, or which folder is the project
	Secret                   // it has a key or a token, by which others know the program or the program knows its own data
)

// Trust is who has to agree before the powers of a file count.
type Trust string

const (
	// Nobody: the file has no power, or one that only makes things stricter.
	Nobody Trust = "nobody"
	// Folder: the user trusts the folder that it lies in (sidestick trust).
	Folder Trust = "the folder"
	// Installed: the user has installed the plugin, or a client or a flag names it. Agents of the
	// plugin that name another address also need trust in its folder.
	Installed Trust = "the plugin"
	// Own: it lies in the user's own folders, where other users cannot write.
	Own Trust = "the user's own"
	// Owner: the file belongs to the user, or to the administrator of the machine.
	Owner Trust = "its owner"
)

// Entry is one file, or one pattern of files, that the program reads.
type Entry struct {
	Kind Kind
	In   Place
	// Path is relative to In, with slashes. In its elements * is any text; ** is any number of
	// folders.
	Path   string
	Powers Power
	Trust  Trust
	// Does says in one line what the powers are; for text, what the file is.
	Does string
	// Plain leaves the entry out of the protected names although it has a power. Why says for
	// which reason.
	Plain string
}

// Folder returns the path up to the first element with a pattern: of a pattern the folder that is
// searched, of a file the file itself.
func (e Entry) Folder() string {
	elements := strings.Split(e.Path, "/")
	if i := slices.IndexFunc(elements, isPattern); i >= 0 {
		elements = elements[:i]
	}
	return strings.Join(elements, "/")
}

// Ending returns what the names of the files end with that the entry stands for: ".md" of *.md.
func (e Entry) Ending() string { return strings.TrimPrefix(path.Base(e.Path), "*") }

// Below returns the path of [Entry.Folder] in a folder, with the separators of the system.
func (e Entry) Below(folder string) string {
	return filepath.Join(folder, filepath.FromSlash(e.Folder()))
}

func isPattern(element string) bool { return strings.Contains(element, "*") }

// Of returns the entries of a kind in a place, in the order in which they are read.
func Of(kind Kind, in Place) (list []Entry) {
	for _, e := range table {
		if e.Kind == kind && e.In == in {
			list = append(list, e)
		}
	}
	return list
}

// Paths returns the paths of [Entry.Below] for the entries of a kind in a place.
func Paths(kind Kind, in Place, folder string) (list []string) {
	for _, e := range Of(kind, in) {
		list = append(list, e.Below(folder))
	}
	return list
}

// All returns the whole table.
func All() []Entry { return slices.Clone(table) }

// Protected returns the paths of entries with a power that are below a project or below the
// user's home folder, in lower case and each once: names in the sense of permit.Rules. Files of
// plugins, of folders that clients name and of the program's own folder are not among them: there
// the whole folder is protected, by its path.
func Protected() (names []string) {
	for _, e := range table {
		if e.Powers == 0 || e.Plain != "" || !slices.Contains(inProject, e.In) && e.In != UserHome && e.In != Config {
			continue
		}
		name := strings.ToLower(e.Folder())
		if e.In == Config {
			name = ".config/" + path.Dir(name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// At returns what a path is: the entry that it matches, or in whose folder it lies, of those in
// the given places. relative has slashes, and is relative to a folder of that place. Upper and
// lower case count as the same. An entry that matches the whole path is preferred.
func At(relative string, in ...Place) (Entry, bool) {
	elements := strings.Split(strings.ToLower(path.Clean(relative)), "/")
	for _, covers := range []func(pattern, elements []string) bool{matches, lies} {
		for _, e := range table {
			if slices.Contains(in, e.In) && covers(strings.Split(strings.ToLower(e.Path), "/"), elements) {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// InProject is [At] for a path in a project. Any number of folders may come before what the
// entry has, because every folder of a project can be a working directory.
func InProject(relative string) (Entry, bool) {
	for rest, more := path.Clean(relative), true; more; _, rest, more = strings.Cut(rest, "/") {
		if e, ok := At(rest, inProject...); ok {
			return e, true
		}
	}
	return Entry{}, false
}

// matches reports whether elements are a whole path of a pattern.
func matches(pattern, elements []string) bool {
	switch {
	case len(pattern) == 0:
		return len(elements) == 0
	case pattern[0] == "**":
		return matches(pattern[1:], elements) || len(elements) > 0 && matches(pattern, elements[1:])
	case len(elements) == 0:
		return false
	}
	same, err := path.Match(pattern[0], elements[0])
	return same && err == nil && matches(pattern[1:], elements[1:])
}

// lies reports whether elements lead into the folder of a pattern, or are that folder. A pattern
// that begins with * has no folder.
func lies(pattern, elements []string) bool {
	i := slices.IndexFunc(pattern, isPattern)
	if i < 0 {
		i = len(pattern)
	}
	return i > 0 && len(elements) >= i && slices.Equal(pattern[:i], elements[:i])
}
