package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// flagKeeper is the agent of `sidestick demo agent`. It keeps feature flags, and uses
// every part of the protocol once.
type flagKeeper struct {
	url string // of the page about a flag, without its name

	mu    sync.Mutex // guards the rest
	on    map[string]bool
	asked map[string]change // open confirmations by id
	last  int               // number of the last confirmation
}

// change is what a confirmation stands for.
type change struct {
	flag   string
	on     bool
	thread string
}

// maxOpen bounds the confirmations that are remembered.
const maxOpen = 100

// flagType is the type of its references.
const flagType = "flags.flag"

func newFlagKeeper(url string) *flagKeeper {
	return &flagKeeper{
		url:   url + "/flags/",
		on:    map[string]bool{"copilot": true, "new-editor": true, "fast-search": false},
		asked: map[string]change{},
	}
}

// command is the message that turns a flag on or off; a flag may be called "it".
var command = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bturn (on|off) (?:the )?([a-z-]+)|\bturn (it) (on|off)\b`)
}}

// flagAnswer is an answer of the agent; empty parts are left out.
type flagAnswer struct {
	text  string
	refs  []extension.Reference
	asks  *extension.Confirmation
	fault *extension.Fault
}

// answer is the agent.
func (k *flagKeeper) answer(ctx context.Context, r *extension.Request, w *extension.Writer) error {
	a := k.reply(r)
	if err := speak(ctx, w, a.text); err != nil {
		return err
	}
	if a.asks != nil {
		return w.Confirm(*a.asks)
	}
	if a.fault != nil {
		return w.Errors(*a.fault)
	}
	return w.References(a.refs...)
}

// reply is the answer to a request.
func (k *flagKeeper) reply(r *extension.Request) flagAnswer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := r.Decision(); d != nil {
		return k.decide(r.ThreadID, d)
	}
	prompt := r.Prompt()
	m := command.Get().FindStringSubmatch(prompt)
	switch {
	case m == nil && strings.Contains(strings.ToLower(prompt), "flag"):
		return k.list()
	case m == nil:
		return flagAnswer{text: "I keep feature flags. Ask me which flags are on, or to turn one on or off."}
	}
	flag, on := strings.ToLower(m[2]+m[3]), strings.EqualFold(m[1]+m[4], "on")
	if flag == "it" {
		// The platform sends the references of earlier answers back, so that an agent
		// need not remember them.
		refs := r.Find(flagType)
		if len(refs) == 0 {
			return flagAnswer{text: "Which one? Ask me which flags there are."}
		}
		flag = refs[0].ID
	}
	return k.turn(r.ThreadID, flag, on)
}

// list names the flags that are on, with a reference to each.
func (k *flagKeeper) list() flagAnswer {
	var on []string
	var refs []extension.Reference
	for _, name := range slices.Sorted(maps.Keys(k.on)) {
		if k.on[name] {
			on, refs = append(on, name), append(refs, k.reference(name))
		}
	}
	if len(on) == 0 {
		return flagAnswer{text: "No flag is on."}
	}
	return flagAnswer{text: fmt.Sprintf("%d of %d flags are on: %s.", len(on), len(k.on), strings.Join(on, ", ")), refs: refs}
}

func (k *flagKeeper) reference(name string) extension.Reference {
	data, _ := json.Marshal(map[string]string{"flag": name}) // a map of strings can be encoded
	return extension.Reference{
		Type: flagType, ID: name, Data: data,
		Metadata: extension.Metadata{DisplayName: "Flag " + name, DisplayURL: k.url + name},
	}
}

// turn asks the user to confirm a change of a flag.
func (k *flagKeeper) turn(thread, flag string, on bool) flagAnswer {
	was, known := k.on[flag]
	switch {
	case !known:
		return flagAnswer{text: "That did not work.", fault: &extension.Fault{
			Type: extension.FaultFunction, Code: "unknown_flag", Identifier: flag,
			Message: "There is no flag " + flag + ". Ask which flags there are.",
		}}
	case was == on:
		return flagAnswer{text: "The flag " + flag + " is " + onOff(on) + " already."}
	case len(k.asked) == maxOpen:
		clear(k.asked) // an answer to one of them is refused as unknown
	}
	k.last++
	id := fmt.Sprintf("turn-%d", k.last)
	k.asked[id] = change{flag, on, thread}
	data, _ := json.Marshal(map[string]string{"id": id}) // a map of strings can be encoded
	return flagAnswer{asks: &extension.Confirmation{
		Title:   "Turn " + onOff(on) + " feature flag",
		Message: "Are you sure you wish to turn " + onOff(on) + " the `" + flag + "` feature flag?",
		Data:    data,
	}}
}

// decide makes a confirmed change, once, and only for the conversation that was asked.
func (k *flagKeeper) decide(thread string, d *extension.Decision) flagAnswer {
	var data struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(d.Data, &data) // data that cannot be read has no id, and is unknown
	c, known := k.asked[data.ID]
	if !known || c.thread != thread {
		return flagAnswer{fault: &extension.Fault{
			Type: extension.FaultAgent, Code: "unknown_confirmation", Identifier: data.ID,
			Message: "That question was answered already, or was never asked here.",
		}}
	}
	delete(k.asked, data.ID)
	if !d.Accepted {
		return flagAnswer{text: "The flag " + c.flag + " stays " + onOff(k.on[c.flag]) + "."}
	}
	k.on[c.flag] = c.on
	return flagAnswer{text: "The flag " + c.flag + " is " + onOff(c.on) + " now.", refs: []extension.Reference{k.reference(c.flag)}}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// speak writes word by word, as a model does.
func speak(ctx context.Context, w *extension.Writer, text string) error {
	for word := range strings.SplitAfterSeq(text, " ") {
		if err := w.Text(word); err != nil {
			return err
		}
		select {
		case <-time.After(modelPace):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// pages serves the pages that the references point to, and agent for all else.
func (k *flagKeeper) pages(agent http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", agent)
	mux.HandleFunc("GET /flags/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		k.mu.Lock()
		on, known := k.on[name]
		k.mu.Unlock()
		if !known {
			http.NotFound(w, r)
			return
		}
		text := strings.NewReplacer("&", "&amp;", "<", "&lt;")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>%[1]s</title><h1>%[1]s</h1><p>The flag is %[2]s.\n", text.Replace(name), onOff(on))
	})
	return mux
}
