package configcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Shown is a setting as it is in force. Its texts are for the screen.
type Shown struct {
	Key, Value, From string
	About            string // what it is for, and what it can be
	Set              bool   // something has set it
}

// quietly are options that print into a buffer: the caller has the terminal, or prints by itself.
func quietly(o *cli.Options) (quiet *cli.Options, said *bytes.Buffer) {
	said = &bytes.Buffer{}
	quiet = &cli.Options{Sys: o.Sys, Flags: o.Flags, Counts: o.Counts}
	quiet.Sys.Stdout, quiet.Sys.Stderr = said, said
	return quiet, said
}

// All returns every setting, for a program that has the terminal. notes are warnings about the files, "" for none.
func All(o *cli.Options) (all []Shown, notes string, err error) {
	quiet, said := quietly(o)
	cfg, err := quiet.ConfigToShow()
	if err != nil {
		return nil, "", err
	}
	notes = said.String()
	keys := config.Keys()
	for i, r := range rowsOf(cfg, keys) {
		said.Reset()
		if err := describe(quiet, keys[i], r); err != nil {
			return nil, "", err
		}
		value := "–"
		if r.Value != nil {
			value = quiet.Secrets.Redact(timeline.ExposedLine(printed(r.Value), 4*terminal.Columns))
		}
		all = append(all, Shown{
			Key: r.Key, Value: value, From: quiet.Secrets.Redact(place(r.From)), About: said.String(),
			Set: r.From != config.Default && r.From != config.Unset,
		})
	}
	return all, notes, nil
}

// Do carries out `/config` with its arguments, and returns what it says: "" shows all settings, a key shows one, and a
// key with a value sets it in the file of the user, or with --project at the end in that of the project. `unset KEY`
// removes it.
func Do(ctx context.Context, o *cli.Options, args string) (text string, err error) {
	quiet, said := quietly(o)
	c := &change{Options: quiet}
	args, c.project = strings.CutSuffix(args, " --project")
	name, value, _ := strings.Cut(strings.TrimSpace(args), " ")
	value = strings.TrimSpace(value)
	switch {
	case name == "":
		err = c.show("")
	case name == "unset" && value != "":
		err = c.unset(ctx, value)
	case value == "" && c.project:
		err = cli.NewUsageError(errors.New("/config " + name + " --project lacks the value to set"))
	case value == "":
		err = c.show(name)
	default:
		var k config.Key
		if k, err = keyOf(name); err == nil {
			err = c.set(ctx, k, []string{value})
		}
	}
	if err == nil && value != "" {
		fmt.Fprintln(said, "it counts from the next start of sidestick on")
	}
	return said.String(), err
}

// show prints all settings, or the one with a name.
func (c *change) show(name string) error {
	keys, cfg, err := shown(c.Options, name)
	if err != nil {
		return err
	}
	rows := rowsOf(cfg, keys)
	if name == "" {
		return table(c.Options, rows)
	}
	return describe(c.Options, keys[0], rows[0])
}

// File creates the settings file of the user if there is none, and returns its path. check returns what to say when the
// user has edited it.
func File(o *cli.Options) (path string, check func() (said string, err error), err error) {
	quiet, _ := quietly(o)
	c := &change{Options: quiet}
	if _, err := c.path(); err != nil {
		return "", nil, err
	}
	e, err := editor(quiet)
	if err != nil {
		return "", nil, err
	}
	if path, err = e.Create(false, []byte(first)); err != nil {
		return "", nil, invalid(err)
	}
	return path, func() (string, error) {
		if err := c.checkFile(e.Place); err != nil {
			return "", err
		}
		return shortPath(path) + " is valid; it counts from the next start of sidestick on", nil
	}, nil
}
