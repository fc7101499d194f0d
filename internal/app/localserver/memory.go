package localserver

import (
	"bytes"
	"strconv"
)

// Memory is the memory of the machine, or what a container may use of it, in bytes. 0 is not known. That of a graphics
// card of its own is not counted.
type Memory struct{ Total, Available int64 }

// Room is how much of it a server of models can take: what is available, and at most three quarters of all, because what
// is available now is used by other programs later. 0 is not known.
func (m Memory) Room() int64 {
	room := m.Total / 4 * 3
	if m.Available > 0 && (room == 0 || m.Available < room) {
		return m.Available
	}
	return room
}

// which says what [Memory.Room] is, as the end of a sentence.
func (m Memory) which() string {
	if m.Available > 0 && m.Room() == m.Available {
		return "are available"
	}
	return "are three quarters of the memory"
}

// parseMeminfo reads /proc/meminfo of Linux.
func parseMeminfo(text []byte) (m Memory) {
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kilobytes, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil || kilobytes < 0 || kilobytes > 1<<50 {
			continue
		}
		switch string(fields[0]) {
		case "MemTotal:":
			m.Total = kilobytes << 10
		case "MemAvailable:":
			m.Available = kilobytes << 10
		}
	}
	return m
}

// within is m in a container: limit, used and stat are its memory.max, memory.current and memory.stat, as text of
// the kernel.
func (m Memory) within(limit, used, stat []byte) Memory {
	most, err := strconv.ParseInt(string(bytes.TrimSpace(limit)), 10, 64)
	if err != nil || most <= 0 { // "max"
		return m
	}
	if m.Total == 0 || most < m.Total {
		m.Total = most
	}
	if now, err := strconv.ParseInt(string(bytes.TrimSpace(used)), 10, 64); err == nil && m.Available > 0 {
		now = max(now-cached(stat), 0)
		m.Available = max(min(m.Available, most-now), 1)
	}
	return m
}

// cached is how many bytes of files the kernel keeps for a container, and gives back when a program needs the memory:
// inactive_file of its memory.stat. memory.current counts them, too. Source: docs.kernel.org/admin-guide/cgroup-v2.html.
func cached(stat []byte) int64 {
	for line := range bytes.Lines(stat) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if string(name) != "inactive_file" {
			continue
		}
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}
