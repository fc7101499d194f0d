package localserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const gib = 1 << 30

// Each machine gets the largest model that fits, with a window that fits, and never a download that is larger than what
// there is.
func TestTheModelFitsIntoTheMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		memory  Memory
		window  int64 // that is asked of Ollama
		command []string
	}{
		"64 GiB": {Memory{64 * gib, 60 * gib}, 65_536, []string{
			"ollama serve & sleep 5; ollama pull qwen3:30b",
			"llama-server -hf unsloth/Qwen3-30B-A3B-GGUF:Q4_K_M --jinja -c 32768",
			"lms get qwen/qwen3-30b-a3b && lms load qwen/qwen3-30b-a3b --context-length 32768 && lms server start",
		}},
		"16 GiB, most of it in use": {Memory{16 * gib, 8 * gib}, 65_536, []string{
			"ollama serve & sleep 5; ollama pull qwen3:1.7b",
			"llama-server -hf unsloth/Qwen3-4B-GGUF:Q4_K_M --jinja -c 32768",
			"lms get qwen/qwen3-4b && lms load qwen/qwen3-4b --context-length 32768 && lms server start",
		}},
		"16 GiB of a Mac": {Memory{Total: 16 * gib}, 32_768, []string{
			"ollama serve & sleep 5; ollama pull qwen3:8b",
			"llama-server -hf unsloth/Qwen3-8B-GGUF:Q4_K_M --jinja -c 32768",
			"lms get qwen/qwen3-8b && lms load qwen/qwen3-8b --context-length 32768 && lms server start",
		}},
		"room for a small window only": {Memory{8 * gib, 3 * gib}, 65_536, []string{
			"",
			"llama-server -hf unsloth/Qwen3-1.7B-GGUF:Q4_K_M --jinja -c 8192",
			"lms get qwen/qwen3-1.7b && lms load qwen/qwen3-1.7b --context-length 8192 && lms server start",
		}},
		"1 GiB":     {Memory{gib, gib / 2}, 65_536, []string{"", "", ""}},
		"not known": {Memory{}, 65_536, []string{"", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			all := Advise(Machine{Look: func(string) (string, error) { return "", nil }, Memory: tc.memory, OS: "linux", OllamaWindow: tc.window})
			var got []string
			for i := range all {
				a := &all[i]
				got = append(got, a.Command)
				if says := a.Says(); !strings.HasPrefix(says, a.Program+" is installed") || a.Command == "" && !strings.Contains(says, "no model") {
					t.Errorf("%s: %q", a.Program, says)
				}
				for _, l := range models() {
					if named := l.ollama == a.Model || l.hugging == a.Model || l.studio == a.Model; named && l.file > tc.memory.Room() {
						t.Errorf("%s is a download of %s; there are %s", a.Model, Size(l.file), Size(tc.memory.Room()))
					}
				}
			}
			if d := cmp.Diff(tc.command, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// The sentence has the numbers that the choice is made of.
func TestTheChoiceIsExplained(t *testing.T) {
	all := Advise(Machine{Look: only("lms"), Memory: Memory{16 * gib, 8 * gib}})
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	const want = "lms is installed; the model qwen/qwen3-4b is a download of 2.6 GB, and needs about 7.9 GB with a window of 32,768 tokens, of the 8.6 GB that are available"
	if got := all[0].Says(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	all = Advise(Machine{Look: only("ollama"), Memory: Memory{8 * gib, 4 * gib}, OllamaWindow: 65_536})
	if is := all[0].Says(); !strings.HasSuffix(is, "a smaller OLLAMA_CONTEXT_LENGTH needs less") {
		t.Errorf("%q does not say what to do", is)
	}
	for _, os := range []string{"darwin", "windows"} { // where the command starts the application
		if all := Advise(Machine{Look: only("ollama"), Memory: Memory{64 * gib, 60 * gib}, OllamaWindow: 65_536, OS: os}); all[0].Command != "ollama run qwen3:30b" {
			t.Errorf("on %s: %q", os, all[0].Command)
		}
	}
}

func only(name string) func(string) (string, error) {
	return func(asked string) (string, error) {
		if asked == name {
			return name, nil
		}
		return "", exec.ErrNotFound
	}
}

// The programs are found on PATH, and none is run.
func TestNoProgramIsRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	ran := filepath.Join(dir, "ran")
	for _, name := range []string{"llama-server", "lms"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n: > "+ran+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ollama"), nil, 0o600); err != nil { // which cannot be run
		t.Fatal(err)
	}
	var found []string
	for _, a := range Advise(Machine{Look: exec.LookPath, Memory: Memory{64 * gib, 60 * gib}}) {
		found = append(found, a.Program)
	}
	if d := cmp.Diff([]string{"llama-server", "lms"}, found); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program was run")
	}
}

func TestMemory(t *testing.T) {
	const text = "MemTotal:       16384000 kB\nMemFree:          123456 kB\nMemAvailable:    8192000 kB\nHugePages_Total:       0\n"
	const kib = 1 << 10
	for name, tc := range map[string]struct {
		text, limit, used, stat string
		want                    Memory
	}{
		"Linux":                       {text, "", "", "", Memory{16384000 * kib, 8192000 * kib}},
		"a container with no end":     {text, "max\n", "5\n", "", Memory{16384000 * kib, 8192000 * kib}},
		"a container":                 {text, "4294967296\n", "1073741824\n", "", Memory{4 * gib, 3 * gib}},
		"a container that is full":    {text, "4294967296\n", "4294967296\n", "anon 4294967296\ninactive_file 0\n", Memory{4 * gib, 1}},
		"a container full of files":   {text, "4294967296\n", "4294967296\n", "anon 1073741824\nfile 3221225472\ninactive_anon 7\ninactive_file 2147483648\nactive_file 1073741824\n", Memory{4 * gib, 2 * gib}},
		"a container that counts odd": {text, "4294967296\n", "1024\n", "inactive_file 4096\n", Memory{4 * gib, 4 * gib}},
		"a large container":           {text, "42949672960\n", "0\n", "", Memory{16384000 * kib, 8192000 * kib}},
		"an old kernel":               {"MemTotal: 1024 kB\n", "", "", "", Memory{1024 * kib, 0}},
		"something else":              {"MemTotal: many kB\nMemAvailable\n", "x", "y", "inactive_file z", Memory{}},
	} {
		if got := parseMeminfo([]byte(tc.text)).within([]byte(tc.limit), []byte(tc.used), []byte(tc.stat)); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
	if m := Measure(); runtime.GOOS == "linux" && (m.Total < 1<<20 || m.Room() <= 0 || m.Room() > m.Total) {
		t.Errorf("this machine: %+v", m)
	}
}
