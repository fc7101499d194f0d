package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// disabledSkills is the list of skills that the user has turned off for all sessions: one
// small file in the user's folder that several processes share. It is safe for concurrent
// use.
type disabledSkills struct {
	fs   vfs.FS
	path string // "": they are kept in memory

	mu     sync.Mutex // guards memory; held while the file is changed
	memory []string
}

// skillsFile is the content of the file.
type skillsFile struct {
	Version  int      `json:"version"` // 1
	Disabled []string `json:"disabledSkills"`
}

// read returns the names. A file that cannot be read turns nothing off and is an error.
func (d *disabledSkills) read() ([]string, error) {
	if d.path == "" {
		d.mu.Lock()
		defer d.mu.Unlock()
		return slices.Clone(d.memory), nil
	}
	data, err := d.fs.ReadFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, vfs.Failure("skills", d.path, err)
	}
	return d.parse(data)
}

func (d *disabledSkills) parse(data []byte) ([]string, error) {
	var file skillsFile
	if err := fault.DecodeObject(data, &file); err != nil {
		return nil, d.damaged(err)
	}
	return file.Disabled, nil
}

// change changes the list and stores it. repair replaces a file that is not JSON; without
// it such a file is an error.
func (d *disabledSkills) change(repair bool, f func(names []string) []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" {
		d.memory = f(d.memory)
		return nil
	}
	err := vfs.Change(context.Background(), d.fs, d.path, func(now []byte) (_ []byte, err error) {
		var names []string
		if now != nil {
			names, err = d.parse(now)
		}
		if err != nil && !repair {
			return nil, err
		}
		data, err := json.MarshalIndent(skillsFile{1, f(names)}, "", "  ")
		return append(data, '\n'), err
	})
	if known := new(fault.Error); err == nil || errors.As(err, &known) {
		return err
	}
	return vfs.Failure("skills", d.path, err)
}

// damaged is the error of a file whose content is not what this program writes.
func (d *disabledSkills) damaged(err error) error {
	return &fault.Error{
		Op: "skills", On: d.path, Kind: fault.Invalid, Err: err, Hint: "repair the file, or remove it and turn skills off again",
	}
}

// maxDisabled bounds the number of skills that are turned off, maxSkillName the bytes of a
// name.
const maxDisabled, maxSkillName = 1000, 200

// DisableSkills replaces the list of skills that are off in all sessions of the user,
// from their next search on. Names that no skill has yet are kept. [fault.Invalid] if the
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

// DisableSkill turns one skill off or on for the user. The error is [fault.Invalid] if the
// name is too long or the list is full.
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
