package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/sandbox/landlock"
)

// probeTime bounds the start of a sandbox. A start takes about 10 ms; in an outer sandbox
// bwrap has been seen to hang for ever (github/copilot-cli#4853).
const probeTime = 5 * time.Second

// probe starts a sandbox that tries to get out.
func (h *Host) probe() *Support {
	s := &Support{}
	temp, err := os.MkdirTemp("", "sidestick-probe-")
	if err != nil {
		s.Parts = []Part{{Name: "namespaces", Detail: "there is no room for temporary files: " + err.Error()}}
		return s
	}
	defer os.RemoveAll(temp)
	names := h.tryNamespaces(s, temp)
	land := h.tryLandlock(s, temp)
	filter := Part{Name: "filter", Works: names.Works || land.Works, Detail: "of system calls"}
	if !filter.Works {
		filter.Detail = "not tried, because it needs one of the others"
	}
	s.Parts = []Part{names, land, filter}
	switch {
	case names.Works:
		s.backend = namespaces
	case land.Works:
		s.backend = landlocked
	}
	return s
}

// tryNamespaces starts a sandbox with bwrap.
func (h *Host) tryNamespaces(s *Support, temp string) Part {
	p := Part{Name: "namespaces"}
	if h.bwrap() == "" || h.bwrap() == "-" {
		p.Detail, p.Next = "bwrap is not installed", installAdvice()
		return p
	}
	if err := h.try(namespaces, 0, temp); err != nil {
		p.Detail = h.bwrap() + ": " + oneLine(err)
		p.Next = bwrapAdvice(p.Detail)
		return p
	}
	p.Works, p.Detail = true, h.bwrap()
	return p
}

// tryLandlock starts a sandbox with Landlock.
func (h *Host) tryLandlock(s *Support, temp string) Part {
	p := Part{Name: "landlock"}
	if h.opts.Landlock < 0 {
		p.Detail = "switched off"
		return p
	}
	abi, err := landlock.ABI()
	if h.opts.Landlock > 0 {
		abi = min(abi, h.opts.Landlock)
	}
	switch {
	case err != nil:
		p.Detail, p.Next = oneLine(err), "it needs Linux 6.2 or newer with Landlock switched on"
		return p
	case abi < leastABI:
		p.Detail, p.Next = fmt.Sprintf("version %d, and %d is needed", abi, leastABI), "it needs Linux 6.2 or newer"
		return p
	}
	if err := h.try(landlocked, abi, temp); err != nil {
		p.Detail = oneLine(err)
		return p
	}
	s.abi = abi
	p.Works, p.Detail = true, fmt.Sprintf("version %d", abi)
	return p
}

// leastABI is the oldest version of Landlock that stops truncate(2), without which any file
// of the user can be emptied. Source: landlock(7).
const leastABI = 3

// try starts a sandbox and ends it.
func (h *Host) try(b backend, abi int, temp string) error {
	box, err := h.start(&Support{backend: b, abi: abi}, Policy{Mode: ReadOnly}, filepath.Join(temp, fmt.Sprint(b)), nil)
	if err != nil {
		return err
	}
	box.close()
	return nil
}

// oneLine is the text of an error on one line.
func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// findBwrap returns the first bwrap on PATH that is in a folder of the system. Another one could
// be a program of the project, or one that others can replace.
func findBwrap() string {
	trusted := []string{"/usr", "/bin", "/opt", "/nix/store", "/gnu/store"}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		path, err := exec.LookPath(filepath.Join(folder, "bwrap"))
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil && filepath.IsAbs(path) && slices.ContainsFunc(trusted, func(f string) bool { return within(f, path) }) {
			return path
		}
	}
	return ""
}
