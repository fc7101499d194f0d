// Package usersettings has the settings of the user that hold for all sessions of a machine, as clients
// read and change them (user.settings.*). They are not the settings of package settings, which people write.
package usersettings

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Settings are settings of the user for all sessions: settings.json in the user's folder,
// which several processes share, or memory if there is no such folder. The file is read each
// time. Members that this program does not know stay in it. It is safe for concurrent use.
type Settings struct {
	fs   vfs.FS
	path string // "": in memory

	mu     sync.Mutex // guards memory
	memory map[string]json.RawMessage
}

// disableAllHooks is the setting that turns off the hooks of files in all sessions.
const disableAllHooks = "disableAllHooks"

// switches are the settings that have an effect, with their defaults. All are switches.
var switches = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{disableAllHooks: false}
}}

// Setting is the value of a setting, and whether the user has not set it.
type Setting struct {
	Value     bool `json:"value"`
	Default   bool `json:"default"`
	IsDefault bool `json:"isDefault"`
}

// Open returns the settings in the user's folder; if home is "", they are in memory. It reads nothing.
func Open(fsys vfs.FS, home string) *Settings {
	u := &Settings{fs: fsys}
	if home != "" {
		u.path = filepath.Join(home, "settings.json")
	}
	return u
}

// Get returns all settings that have an effect. [fault.Invalid] if the file is damaged.
func (u *Settings) Get() (map[string]Setting, error) {
	stored, err := u.read()
	if err != nil {
		return nil, err
	}
	all := make(map[string]Setting, len(switches.Get()))
	for name, standard := range switches.Get() {
		s := Setting{Value: standard, Default: standard, IsDefault: true}
		if value, ok := stored[name]; ok {
			if err := json.Unmarshal(value, &s.Value); err != nil {
				return nil, u.damaged(errors.New(name + " is not true or false"))
			}
			s.IsDefault = false
		}
		all[name] = s
	}
	return all, nil
}

// Set changes settings; null removes one, so that its default holds. [fault.Invalid] for one
// that has no effect here; then nothing is changed.
func (u *Settings) Set(ctx context.Context, changes map[string]json.RawMessage) error {
	const op = "user.settings.set"
	for name, value := range changes {
		if _, known := switches.Get()[name]; !known {
			return fault.New(fault.Invalid, op, "", "this program has no setting %q", name)
		}
		if s := string(value); s != "null" && s != "true" && s != "false" {
			return fault.New(fault.Invalid, op, "", "%s must be true, false or null", name)
		}
	}
	apply := func(stored map[string]json.RawMessage) {
		for name, value := range changes {
			if stored[name] = value; string(value) == "null" {
				delete(stored, name)
			}
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.path == "" {
		if u.memory == nil {
			u.memory = map[string]json.RawMessage{}
		}
		apply(u.memory)
		return nil
	}
	err := vfs.Change(ctx, u.fs, u.path, func(now []byte) ([]byte, error) {
		stored, err := u.parse(now)
		if err != nil {
			return nil, err
		}
		apply(stored)
		data, err := json.MarshalIndent(stored, "", "  ")
		return append(data, '\n'), err
	})
	if known := new(fault.Error); err == nil || errors.As(err, &known) {
		return err
	}
	return vfs.Failure(op, u.path, err)
}

// HooksDisabled reports whether the user has turned off the hooks of files.
func (u *Settings) HooksDisabled() (bool, error) {
	all, err := u.Get()
	return all[disableAllHooks].Value, err
}

func (u *Settings) read() (map[string]json.RawMessage, error) {
	if u.path == "" {
		u.mu.Lock()
		defer u.mu.Unlock()
		return maps.Clone(u.memory), nil
	}
	data, err := u.fs.ReadFile(u.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, vfs.Failure("settings", u.path, err)
	}
	return u.parse(data)
}

// parse reads the file; nil is one that does not exist.
func (u *Settings) parse(data []byte) (map[string]json.RawMessage, error) {
	stored := map[string]json.RawMessage{}
	if data == nil {
		return stored, nil
	}
	if err := fault.DecodeObject(data, &stored); err != nil {
		return nil, u.damaged(err)
	}
	return stored, nil
}

func (u *Settings) damaged(err error) error {
	return &fault.Error{Op: "settings", On: u.path, Kind: fault.Invalid, Err: err, Hint: "repair the file, or remove it"}
}
