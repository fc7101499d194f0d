package prompt

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// Instructions that are for some files only are delivered on demand: once a tool has read or changed such a file, the
// model gets their text as a message of its own, so that what is before it in the conversation stays as it was. They
// are files with patterns, which [ReadInstructions] has found, and those of folders that are not on the way from the
// root of the project to the working directory.

// Limits on what is delivered on demand. A pattern with more braces or commas is not compared, because each pair of
// braces multiplies the work.
const (
	maxBraces   = 5
	maxCommas   = 30
	maxDelivery = 64 << 10 // bytes of one message
	maxFolders  = 20       // below the root, whose files are looked for
)

// Delivery is instructions for the files that tools have just read or changed.
type Delivery struct {
	// Text is the message for the model; "" if there are no instructions for these files.
	Text string
	// IDs are the ids of the sources in it.
	IDs []string
	// Warnings say, for the user, which files were not read and why.
	Warnings []string
}

// For returns the instructions for files, but for those whose ids are in given. where is what in was found with; it
// reads the files of the folders that the files are in. The paths of the files are absolute.
func (in Instructions) For(where InstructionSearch, files, given []string) (out Delivery) {
	if where.Skip {
		return out
	}
	d := newDiscovery(where)
	for name := range in.read {
		d.read[name] = true
	}
	for _, s := range in.Sources {
		d.seen[s.Body] = true
	}
	root := d.Disk.resolve(d.Root)
	var list []Source
	for _, file := range files {
		rel, err := filepath.Rel(root, d.Disk.resolve(file))
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		rel = filepath.ToSlash(rel)
		for _, s := range in.Sources {
			if len(s.ApplyTo) > 0 && s.matches(d.Root, rel) {
				list = append(list, s)
			}
		}
		d.nested(path.Dir(rel))
	}
	list = append(list, d.found.Sources...)
	out.Warnings = d.found.Warnings
	in.deliver(&out, list, files, given)
	return out
}

// nested reads the instructions of the folders on the way to one of the project, relative to the root, that are not on
// the way to the working directory. Those of the folder itself come last.
func (d *discovery) nested(folder string) {
	known, dir := projectfiles.Ancestors(d.Root, d.Cwd), d.Root
	names := strings.Split(folder, "/")
	for _, name := range names[:min(len(names), maxFolders)] {
		if dir = filepath.Join(dir, name); slices.Contains(known, dir) {
			continue
		}
		for _, t := range targets(projectfiles.Way, dir) {
			if !t.Folder {
				d.target(t, d.onTheWay(t, dir))
			}
		}
	}
}

// deliver makes the message of a list of sources.
func (in Instructions) deliver(out *Delivery, list []Source, files, given []string) {
	var blocks []string
	left := maxDelivery
	for _, s := range list {
		if in.off(s) || slices.Contains(given, s.ID) || slices.Contains(out.IDs, s.ID) || slices.Contains(files, s.Path) {
			continue
		}
		out.IDs = append(out.IDs, s.ID)
		if len(s.Body) > left {
			blocks = append(blocks, s.block("[Left out: there are too many instructions. Read "+s.Path+" before you go on.]"))
			continue
		}
		left -= len(s.Body)
		blocks = append(blocks, s.block(s.text()))
	}
	if len(blocks) == 0 {
		return
	}
	const opening = "Follow these instructions of the people you work for, too. They are for files that you have just read or changed."
	out.Text = "<custom_instructions>\n" + join(append([]string{opening}, blocks...)...) + "\n</custom_instructions>"
}

// matches reports whether a file is one of those that the source is for. root is the root of the project, and file
// relative to it. A pattern without a slash is compared with the name of the file, too.
func (s Source) matches(root, file string) bool {
	inBase := file
	if rel, err := filepath.Rel(root, s.base); err == nil && filepath.IsLocal(rel) && rel != "." {
		var below bool
		if inBase, below = strings.CutPrefix(file, filepath.ToSlash(rel)+"/"); !below {
			return false
		}
	}
	return slices.ContainsFunc(s.ApplyTo, func(glob string) bool {
		glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
		return isPattern(glob) && (doublestar.MatchUnvalidated(glob, inBase) ||
			!strings.Contains(glob, "/") && doublestar.MatchUnvalidated(glob, path.Base(inBase)))
	})
}

// isPattern reports whether files are compared with a pattern.
func isPattern(glob string) bool {
	return strings.Count(glob, "{") <= maxBraces && strings.Count(glob, ",") <= maxCommas && len(glob) <= maxLine && doublestar.ValidatePattern(glob)
}
