// Package localserver says how to start a server of models that is installed on this machine but does not run,
// with a model that fits into the memory. It looks at PATH and at the memory, and runs nothing.
//
// Begin with [Advise] and [Memory].
package localserver

import (
	"fmt"
	"runtime"
	"strings"
)

// Advice is how to start one program.
type Advice struct {
	// Program is what is installed: "ollama", "llama-server" or "lms".
	Program string
	// Command starts it with Model. Both are empty if no model fits into the memory, or if that is not known.
	Command, Model string
	// Why is the rest of a sentence that begins with the name of the program or of the model, without its full stop.
	Why string
}

// Machine is what [Advise] looks at.
type Machine struct {
	// Look finds a program on PATH, as [os/exec.LookPath].
	Look func(name string) (string, error)
	// Memory is that of the machine.
	Memory Memory
	// OS is as [runtime.GOOS]; "" is this one.
	OS string
	// OllamaWindow is the window, in tokens, that the calls to Ollama ask for.
	OllamaWindow int64
}

// listed is a model of the table. Its sizes are of the files with four bits for a parameter.
type listed struct {
	ollama, hugging, studio string // its names: of Ollama's library, of a repository at Hugging Face, and of LM Studio
	file                    int64  // size of the download, in bytes
	perToken                int64  // memory for each token of the window, in bytes
	longest                 int64  // the longest window, in tokens
}

const gigabyte = 1_000_000_000

// models are those of the table, the most able first. All of them call tools in the form of Hermes, which all three servers
// read.
//
// Source: ollama.com/library/qwen3 for the sizes, as it gave them in 2025; the configurations of the models at huggingface.co/Qwen for the memory
// of a token, which is 4 bytes for each layer, head of keys and element of such a head (128). None of
// them was tried here.
func models() []listed {
	return []listed{
		{"qwen3:30b", "unsloth/Qwen3-30B-A3B-GGUF:Q4_K_M", "qwen/qwen3-30b-a3b", 19 * gigabyte, 48 * 4 * 128 * 4, 262_144},
		{"qwen3:14b", "unsloth/Qwen3-14B-GGUF:Q4_K_M", "qwen/qwen3-14b", 9.3 * gigabyte, 40 * 8 * 128 * 4, 40_960},
		{"qwen3:8b", "unsloth/Qwen3-8B-GGUF:Q4_K_M", "qwen/qwen3-8b", 5.2 * gigabyte, 36 * 8 * 128 * 4, 40_960},
		{"qwen3:4b", "unsloth/Qwen3-4B-GGUF:Q4_K_M", "qwen/qwen3-4b", 2.6 * gigabyte, 36 * 8 * 128 * 4, 262_144},
		{"qwen3:1.7b", "unsloth/Qwen3-1.7B-GGUF:Q4_K_M", "qwen/qwen3-1.7b", 1.4 * gigabyte, 28 * 8 * 128 * 4, 40_960},
	}
}

const (
	// overhead is what a server needs besides the model and the window, in bytes: buffers and the program itself.
	overhead = gigabyte / 2
	// ample and scarce are the windows that are asked for, in tokens; scarce where no model fits with ample.
	ample, scarce = 32_768, 8_192
)

// Advise returns how to start each of the programs that are installed, at most one piece of advice for each.
func Advise(m Machine) (all []Advice) {
	if m.OS == "" {
		m.OS = runtime.GOOS
	}
	for _, name := range []string{"ollama", "llama-server", "lms"} {
		if _, err := m.Look(name); err == nil {
			all = append(all, m.advise(name))
		}
	}
	return all
}

func (m Machine) advise(program string) Advice {
	a := Advice{Program: program}
	room := m.Memory.Room()
	if room == 0 {
		a.Why = "how much memory this machine has is not known, so no model is suggested"
		return a
	}
	windows := []int64{ample, scarce}
	if program == "ollama" { // which takes the window from the calls
		windows = []int64{m.OllamaWindow}
	}
	for _, window := range windows {
		for _, l := range models() {
			window := min(window, l.longest)
			if needs := l.file + l.perToken*window + overhead; needs <= room {
				a.Model, a.Command = m.command(program, &l, window)
				a.Why = fmt.Sprintf("is a download of %s, and needs about %s with a window of %s tokens, of the %s that %s",
					Size(l.file), Size(needs), thousands(window), Size(room), m.Memory.which())
				return a
			}
		}
	}
	a.Why = fmt.Sprintf("no model that calls tools fits with a window of %s tokens into the %s that %s", thousands(windows[len(windows)-1]), Size(room), m.Memory.which())
	if program == "ollama" && m.OllamaWindow > scarce {
		a.Why += "; a smaller OLLAMA_CONTEXT_LENGTH needs less"
	}
	return a
}

// command is the command that starts a program with a model, and the program's name of that. On Linux nothing but
// `ollama serve` starts Ollama's server.
func (m Machine) command(program string, l *listed, window int64) (name, command string) {
	switch program {
	case "ollama":
		if m.OS == "darwin" || m.OS == "windows" {
			return l.ollama, "ollama run " + l.ollama
		}
		return l.ollama, "ollama serve & sleep 5; ollama pull " + l.ollama
	case "llama-server":
		return l.hugging, fmt.Sprintf("llama-server -hf %s --jinja -c %d", l.hugging, window)
	}
	return l.studio, fmt.Sprintf("lms get %s && lms load %s --context-length %d && lms server start", l.studio, l.studio, window)
}

// Says is a sentence, without its full stop, about what is installed, and which model fits.
func (a *Advice) Says() string {
	if a.Command == "" {
		return a.Program + " is installed, but " + a.Why
	}
	return a.Program + " is installed; the model " + a.Model + " " + a.Why
}

// Size is a number of bytes for people, such as "2.6 GB".
func Size(n int64) string {
	return fmt.Sprintf("%.1f GB", float64(n)/gigabyte)
}

// thousands is a number with commas.
func thousands(n int64) string {
	text := fmt.Sprint(n)
	var b strings.Builder
	for i, r := range text {
		if i > 0 && (len(text)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}
