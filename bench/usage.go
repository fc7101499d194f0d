package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// spent is what the processes below this one use: the runtime and its children.
type spent struct {
	known  bool          // false where there is no /proc, on anything but Linux
	cpu    time.Duration // user and system, in steps of 10 ms
	memory int           // proportional set size, in KiB
}

// measureUsage adds up all processes below this one.
func measureUsage() spent {
	_, err := os.Stat("/proc/self/smaps_rollup")
	s := spent{known: err == nil}
	for _, pid := range descendants(os.Getpid()) {
		s.cpu += cpuOf(pid)
		s.memory += memoryOf(pid)
	}
	return s
}

// descendants is the ids of all processes below one.
func descendants(pid int) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	parents := map[int][]int{}
	for _, file := range files {
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if fields := statOf(child); err == nil && len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			parents[parent] = append(parents[parent], child)
		}
	}
	var below []int
	for next := parents[pid]; len(next) > 0; next = next[1:] {
		below = append(below, next[0])
		next = append(next, parents[next[0]]...)
	}
	return below
}

// statOf is the fields of /proc/PID/stat after the program's name, which may contain
// anything: state, parent and so on. Empty if the process has ended.
func statOf(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text)[strings.LastIndexByte(string(text), ')')+1:])
}

// tick is the unit of the times in /proc/PID/stat. Source: USER_HZ is 100 on every
// processor that Go runs on.
const tick = 10 * time.Millisecond

func cpuOf(pid int) time.Duration {
	fields := statOf(pid)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

func memoryOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0 // it has ended
	}
	_, after, _ := strings.Cut(string(text), "\nPss:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.Atoi(fields[0])
	return kib
}

// perUnit is the CPU since earlier for each of n, in the unit; none where it is
// not known.
func (s spent) perUnit(name string, earlier spent, n int, unit time.Duration, unitName string) []figure {
	if !s.known || n == 0 {
		return nil
	}
	return []figure{{name, unitName, float64(s.cpu-earlier.cpu) / float64(unit) / float64(n)}}
}

// memoryIn is the memory in MB.
func (s spent) memoryIn(name string) []figure {
	if !s.known {
		return nil
	}
	return []figure{{name, "MB", float64(s.memory) / 1024}}
}
