package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// disabledSkills is the list of skills that the user has turned off for all sessions:
// one small file in the user's folder, read whole and replaced whole. Processes share
// it. It is safe for concurrent use.
type disabledSkills struct {
	fs   vfs.FS
	path string // "" keeps them in memory

	mu     sync.Mutex // guards memory; held while the file is changed
	memory []string
}

// skillsFile is the content of the file.
type skillsFile struct {
	Version  int      `json:"version"` // 1
	Disabled []string `json:"disabledSkills"`
}

// read returns the names. A file that cannot be read turns nothing off, and is an
// error.
func (d *disabledSkills) read() ([]string, error) {
	if d.path == "" {
		d.mu.Lock()
		defer d.mu.Unlock()
		return slices.Clone(d.memory), nil
	}
	var file skillsFile
	data, err := d.fs.ReadFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		return nil, &fault.Error{
			Op: "skills", On: d.path, Kind: fault.Invalid, Err: err, Hint: "repair the file, or remove it and turn skills off again",
		}
	}
	return file.Disabled, nil
}

// change changes the list and stores it. The file is locked meanwhile, so that no change
// of another process is lost. repair replaces a file that cannot be read; without it
// such a file is an error.
func (d *disabledSkills) change(repair bool, f func(names []string) []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" {
		d.memory = f(d.memory)
		return nil
	}
	failed := func(err error) error {
		return &fault.Error{Op: "skills", On: d.path, Kind: fault.Unavailable, Err: err}
	}
	if err := vfs.MkdirAllSync(d.fs, filepath.Dir(d.path), 0o700); err != nil {
		return failed(err)
	}
	lock, err := vfs.Lock(context.Background(), d.fs, d.path+".lock")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = lock.Close() }() // nothing was written to it
	names, err := d.read()
	if err != nil && !repair {
		return err
	}
	data, err := json.MarshalIndent(skillsFile{1, f(names)}, "", "  ")
	if err == nil {
		err = vfs.WriteFileAtomic(d.fs, d.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// maxDisabled bounds the skills that are turned off, and the length of a name.
const maxDisabled, maxSkillName = 1000, 200

// DisableSkills replaces the list of skills that are off in all sessions of the user,
// from their next look on. Names that no skill has yet are kept. [fault.Invalid] if the
// list or a name in it is too long.
func (f *Finder) DisableSkills(names []string) error {
	list := []string{}
	for _, name := range names {
		if err := checkSkillName("skills.config.setDisabledSkills", name); err != nil {
			return err
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(list) > maxDisabled {
		return fault.New(fault.Invalid, "skills.config.setDisabledSkills", "", "%d skills, %d are the most", len(list), maxDisabled)
	}
	return f.disabled.change(true, func([]string) []string { return list })
}

// DisableSkill turns one skill off or on for the user, and leaves the others.
// [fault.Invalid] if the name is too long or the list is full.
func (f *Finder) DisableSkill(name string, off bool) error {
	const op = "skills.config.setSkillDisabled"
	if err := checkSkillName(op, name); err != nil {
		return err
	}
	full := false
	err := f.disabled.change(false, func(names []string) []string {
		names = slices.DeleteFunc(append([]string{}, names...), func(n string) bool { return n == name })
		if full = off && len(names) >= maxDisabled; off && !full {
			names = append(names, name)
		}
		return names
	})
	if err == nil && full {
		return fault.New(fault.Invalid, op, name, "%d skills are turned off, more are not kept", maxDisabled)
	}
	return err
}

func checkSkillName(op, name string) error {
	switch {
	case name == "":
		return fault.New(fault.Invalid, op, "", "the name of a skill is empty")
	case len(name) > maxSkillName:
		return fault.New(fault.Invalid, op, name[:40]+"…", "the name of a skill is at most %d bytes long", maxSkillName)
	}
	return nil
}
