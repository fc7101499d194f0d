package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// landlockRules returns what Landlock allows for the mounts of a sandbox that only reads: the
// files and folders to read, and those to write. Landlock knows no private folders at other
// paths, and can take nothing out of a folder that it allows, so a folder with hidden files is
// allowed by naming everything beside them.
func landlockRules(mounts []mount) (read, write []string, err error) {
	var secrets []string
	for _, m := range mounts {
		if m.access == hidden {
			secrets = append(secrets, m.source())
		}
	}
	for _, m := range mounts {
		switch {
		case m.access == writable:
			write = append(write, m.source())
		case m.path == gitInside || m.path == programInside:
			read = append(read, m.source()) // private files, in folders that are hidden otherwise
		case m.access == readable:
			names, err := beside(m.source(), secrets)
			if err != nil {
				return nil, nil, err
			}
			read = append(read, names...)
		}
	}
	return clean(read), clean(write), nil
}

// beside returns the folder if it has no secrets in it, or else everything in it that is not
// one and has none.
func beside(folder string, secrets []string) ([]string, error) {
	if !slices.ContainsFunc(secrets, func(s string) bool { return within(folder, s) || within(s, folder) }) {
		return []string{folder}, nil
	}
	if slices.ContainsFunc(secrets, func(s string) bool { return within(s, folder) }) {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			continue // what it leads to is allowed or not by itself
		}
		more, err := beside(filepath.Join(folder, e.Name()), secrets)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	return names, nil
}
