// Package cli holds what every command of the program shares. It knows no command and
// no part of the runtime.
//
// Begin with [System] and [Options].
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/settings"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// System is what the program uses of the outside world. Tests bring their own.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// FS is where a server keeps its logs. Default the operating system; a test
	// brings one that fails.
	FS vfs.FS
}

// Options are the values of the flags, and the system that the command runs on.
type Options struct {
	Sys   System
	Flags config.Flags
	// Secrets knows the secrets of the configuration as soon as that has been loaded. They
	// are kept out of everything that the program prints, logs and stores.
	Secrets obs.Redactor
	// Counts says which files of projects the user has agreed to; see [projectfiles.Counts]. home is
	// Sidestick's home. nil: no folder is trusted.
	Counts func(home, path, digest string) error

	// Broken is what is wrong with the settings files that [Options.ConfigToShow] has left out.
	Broken []error

	warned         bool // of settings that have no effect
	warnedOfBroken bool
	// getenv is Getenv of Sys as it was given: Config changes that if the theme is without colours.
	getenv func(string) string
}

// Config loads the configuration: the flags, then the environment, then settings files, then
// defaults. An invalid setting is a [UsageError], and so is a settings file that cannot be read, also that of a
// project that is not trusted: what it denies would be allowed without it. Settings of a project's file that have no effect are
// printed once, as a warning. With the theme "mono", Getenv of Sys has a NO_COLOR from then on, as whatever
// prints asks for that.
func (o *Options) Config() (config.Config, error) { return o.load(false) }

// ConfigToShow is [Options.Config] for a command that only shows what there is: a settings file that cannot
// be read is left out, and a warning names it.
func (o *Options) ConfigToShow() (config.Config, error) { return o.load(true) }

func (o *Options) load(anyway bool) (config.Config, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // config reports it if it needs a home
	}
	files, broken, err := o.settings(home, anyway)
	if err != nil {
		return config.Config{}, UsageError{err}
	}
	o.Broken = broken
	o.warnOfBroken()
	if o.getenv == nil {
		o.getenv = o.Sys.Getenv
	}
	cfg, err := config.Load(o.Flags, o.getenv, home, files...)
	o.learn(cfg)
	o.paint(cfg.Terminal.Theme.Value)
	if fault.KindOf(err) == fault.Invalid && err != nil {
		return cfg, UsageError{err}
	}
	if err == nil && !o.warned {
		o.warned = true
		if path := o.Place(home).Strange(); path != "" && !o.Flags.Server {
			cfg.Refused = append(cfg.Refused, path+" is not used, because another user of this machine owns it or the folder that it is in")
		}
		for _, text := range append(cfg.Refused, config.Ignored(os.Environ())...) {
			fmt.Fprintln(o.Sys.Stderr, ForScreen(o.Sys.Stderr, "warning: "+timeline.ExposedLine(text, maxWarning)))
		}
	}
	return cfg, err
}

// paint has everything printed in the colours of a theme.
func (o *Options) paint(theme string) {
	given := o.getenv
	if o.Sys.Getenv = given; theme == "mono" {
		o.Sys.Getenv = func(name string) string {
			if name == "NO_COLOR" {
				return "1"
			}
			return given(name)
		}
	}
}

// maxWarning bounds a warning, in columns: a project chooses its text.
const maxWarning = 400

// warnOfBroken names the settings files that were left out, once.
func (o *Options) warnOfBroken() {
	if o.warnedOfBroken {
		return
	}
	for _, err := range o.Broken {
		o.warnedOfBroken = true
		fmt.Fprintln(o.Sys.Stderr, ForScreen(o.Sys.Stderr, "warning: a settings file is not used: "+Message(err)))
	}
}

// BrokenOwn reports whether the user's own settings file cannot be read.
func (o *Options) BrokenOwn() bool {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	_, err = o.Place(home).ReadUser()
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}

// settings reads the settings files.
func (o *Options) settings(home string, anyway bool) ([]config.File, []error, error) {
	place := o.Place(home)
	if o.Flags.Server {
		place.Cwd = ""
	}
	return place.Read(func(path, digest string) error {
		state, err := config.HomeOf(o.Sys.Getenv, home)
		if err != nil || o.Counts == nil {
			return projectfiles.ErrUntrusted
		}
		return o.Counts(Absolute(state), path, digest)
	}, anyway)
}

// Place is where the settings files are. home is the user's home directory.
func (o *Options) Place(home string) settings.Place {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // it was removed
	}
	return settings.Place{FS: o.Disk(), User: settings.UserPath(o.Sys.Getenv, runtime.GOOS, home), Cwd: cwd}
}

// Disk is the file system of the program.
func (o *Options) Disk() vfs.FS {
	if o.Sys.FS != nil {
		return o.Sys.FS
	}
	return vfs.OS{}
}

// proxies are the variables that package net/http takes the address of a proxy from, which
// may have a password.
var proxies = []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}

// learn makes the secrets of a configuration known.
func (o *Options) learn(cfg config.Config) {
	for _, v := range config.SecretVariables(o.Flags, o.Sys.Getenv) {
		o.Secrets.Add(string(v.Value))
	}
	for _, address := range cfg.Addresses() {
		for one := range strings.SplitSeq(address.Value, ",") {
			o.Secrets.AddURL(strings.TrimSpace(one))
		}
	}
	for _, name := range proxies {
		o.Secrets.AddURL(o.Sys.Getenv(name))
	}
}

// WriteExport writes an exported session to a file, which only the user can read, and says so: also that there was
// another file, which it has replaced.
func WriteExport(path string, data []byte) (said string, err error) {
	_, before := vfs.OS{}.Stat(Absolute(path))
	if err := vfs.WriteFileAtomic(vfs.OS{}, Absolute(path), data, 0o600); err != nil {
		return "", fmt.Errorf("the session could not be written to %s: %w", path, Reason(err))
	}
	said = timeline.ExposedPath(path) + ": " + Size(int64(len(data))) + " written"
	if before == nil {
		said += ", in place of the file that was there"
	}
	return said, nil
}

// Absolute makes a path absolute, so that it stays the same file if the working
// directory changes. It returns the path unchanged if there is no working directory.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Reason is the operating system's reason for a failure, without the path, which the
// caller's message already names.
func Reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
