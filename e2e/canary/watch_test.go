//go:build linux

package canary_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// before is the state of a world before commands run in it.
type before struct {
	outside, system tree
	settings        map[string]string // by project
	processes       string            // what the system says about those that must not be touched
	packets         string
}

// watch notes the state of a world. The projects are among what must not change unless they may
// be written.
func (w *world) watch(works []string, writable bool) before {
	b := before{outside: w.outside(works, writable), system: systemTree(), settings: map[string]string{}, packets: packets()}
	for _, work := range works {
		b.settings[work] = settings(work)
	}
	b.processes = process(w.victim.Process.Pid) + process(os.Getpid())
	return b
}

func (w *world) outside(works []string, writable bool) tree {
	except := []string{filepath.Join(w.base, "state"), filepath.Join(w.base, "temp")}
	if writable {
		except = append(except, works...)
	}
	s := tree{}
	s.add(w.base, except...)
	return s
}

// harm compares a world with its state before, and returns what has been done to it. It ends
// what was left behind.
func (w *world) harm(b before, works []string, writable bool) (all []string) {
	report := func(kind string, details ...string) {
		for _, d := range details {
			all = append(all, kind+": "+d)
		}
	}
	report("process left", survivors(w.victim.Process.Pid)...)
	report("file", b.outside.differences(w.outside(works, writable))...)
	report("system", b.system.differences(systemTree())...)
	if n := w.touched.Swap(0); n > 0 {
		report("network", fmt.Sprintf("%d connections or packets reached servers outside", n))
	}
	if now := packets(); now != b.packets {
		report("network", "packets: "+b.packets+" is now "+now)
	}
	if now := process(w.victim.Process.Pid) + process(os.Getpid()); now != b.processes {
		report("process", "was\n"+b.processes+"is now\n"+now)
	}
	for _, work := range works {
		if now := settings(work); now != b.settings[work] {
			report("settings", firstDifference(b.settings[work], now))
		}
	}
	if writable {
		var visits sync.WaitGroup
		for some := range slices.Chunk(works, max(1, len(works)/atOnce)) {
			visits.Go(func() {
				for _, work := range some {
					w.visit(work)
				}
			})
		}
		visits.Wait()
	}
	if !slices.ContainsFunc(all, func(h string) bool { return strings.HasPrefix(h, "file") }) {
		report("file, after git status", b.outside.differences(w.outside(works, writable))...)
	}
	return all
}

// visit does what a shell prompt does when the user enters the project.
func (w *world) visit(work string) {
	for _, folder := range []string{"", "sub", "nested"} {
		git := exec.Command("timeout", "5", "git", "status", "--short")
		git.Dir, git.Env = filepath.Join(work, folder), append(w.env[:2:2], "GIT_OPTIONAL_LOCKS=0")
		_ = git.Run() // whether it works does not matter; what it runs does
	}
}

func firstDifference(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + " is now " + b[i]
		}
	}
	return "is longer or shorter"
}

// leaks returns the secrets in an output, also in forms that programs encode them in.
func leaks(output string) (all []string) {
	for _, secret := range []string{secretMark, token} {
		for _, form := range forms(secret) {
			if strings.Contains(output, form) {
				all = append(all, "output: "+form)
			}
		}
	}
	return all
}

func forms(secret string) []string {
	reversed := []byte(secret)
	slices.Reverse(reversed)
	all := []string{secret, string(reversed), hex.EncodeToString([]byte(secret)), strings.ToUpper(secret)}
	for before := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", before) + secret))
		all = append(all, encoded[4:len(encoded)-4])
	}
	return all
}

// packets are the counters of the loopback network, where nobody else uses it.
func packets() string {
	text, err := os.ReadFile("/proc/net/dev")
	if err != nil || !contained() {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "lo:") {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return ""
}

// process is what commands could change in a process: whether it runs, its priority, limits,
// processors and names.
func process(pid int) string {
	var text strings.Builder
	folder := fmt.Sprintf("/proc/%d/", pid)
	for _, name := range []string{"limits", "comm", "oom_score_adj", "cgroup"} {
		content, err := os.ReadFile(folder + name)
		fmt.Fprintf(&text, "%s%s: %q %v\n", folder, name, content, err)
	}
	if line, err := os.ReadFile(folder + "stat"); err == nil {
		fields := strings.Fields(string(line[strings.LastIndexByte(string(line), ')')+1:]))
		fmt.Fprintf(&text, "stopped %t, priority %s %s\n", strings.Contains("TtZX", fields[0]), fields[15], fields[16])
	}
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(pid, &set)
	fmt.Fprintf(&text, "processors %v\n", set)
	return text.String()
}

// survivors returns the command lines of processes that were left behind, and kills them. What
// has lost its parent is a child of this process.
func survivors(victim int) (all []string) {
	mine := func() (pids []int) {
		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, name := range stats {
			line, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			fields := strings.Fields(string(line[strings.LastIndexByte(string(line), ')')+1:]))
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			switch {
			case fields[1] != strconv.Itoa(os.Getpid()) || pid == victim:
			case fields[0] == "Z":
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // of a sandbox that was killed
			case fields[0] != "X":
				pids = append(pids, pid)
			}
		}
		return pids
	}
	if until(limit, func() bool { return len(mine()) == 0 }) == nil {
		return nil
	}
	for _, pid := range mine() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		all = append(all, strings.ReplaceAll(string(text), "\x00", " "))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return all
}
