package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var update = flag.Bool("update", false, "rewrite what the server says in testdata/wire")

// TestTranscripts replays whole conversations. Each file of testdata/wire is one:
// its comment says which rules it shows, and its sections are
//
//	-- setup --        how the process was started, a [setup] in JSON
//	-- model.jsonl --  what the model will say, see [modeltest.LoadJSONL]
//	-- models.json --  what the provider lists; "silent" never answers
//	-- disk/ID --      the log of a session from an earlier process
//	-- foreign/ID --   the same, but another machine has written it
//	-- file/PATH --    any other file, PATH being absolute
//	-- client --       what the clients do
//	-- server --       what the server writes
//	-- log/ID --       the session's log in the end
//
// -update rewrites the last two. Their ids are numbered by appearance, their
// times are "t", and the member "jsonrpc" is left out of all messages.
//
// A paragraph of the client section is done at once; then the server is left
// alone until it has nothing more to say, and all that it said is the paragraph
// of the same number in the server section. A line of a paragraph is one of
//
//	{…}           a message of connection a, or of b when it begins with "b: "
//	b: hang up    the end of connection b
//	wait TYPE     until an event of that type comes; time passes
//	wait 5s       time passes
//	restart       the process ends and is started again
//
// "$TYPE" in a message is the requestId of the last event of that type, "$event TYPE"
// its own id, and "$cursor ID" the cursor in the last answer to a request of that id;
// "$message ID" is the messageId in it, "$item ID" the id.
//
// Several goroutines of a server write at the same time, and the protocol
// promises an order within one session only. A paragraph therefore shows for each
// connection the answers, in the order of the requests, then the events of each
// session, then the comings and goings of sessions. Deltas that follow each other
// are one, because how many are joined depends on how fast the client reads.
func TestTranscripts(t *testing.T) {
	names, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no transcripts in testdata/wire: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			want, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, want)
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(want)), string(txtar.Format(got))); diff != "" {
				t.Errorf("%s (-want +got; if it is right, go test ./internal/server -update):\n%s", name, diff)
			}
		})
	}
}

// replay does what the archive's clients do and returns the archive as it should
// be.
func replay(t *testing.T, a *txtar.Archive) *txtar.Archive {
	t.Helper()
	var s setup
	if raw := section(a, "setup"); raw != "" {
		d := json.NewDecoder(strings.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			t.Fatalf("setup: %v", err)
		}
	}
	script, err := modeltest.LoadJSONL(strings.NewReader(section(a, "model.jsonl")))
	if err != nil {
		t.Fatalf("model.jsonl: %v", err)
	}
	out := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		if f.Name != "server" && !strings.HasPrefix(f.Name, "log/") {
			out.Files = append(out.Files, f)
		}
	}
	inBubble(t, s, func(t *testing.T, p *process) {
		p.prepare(a)
		c := &conversation{p: p}
		for _, paragraph := range paragraphs(section(a, "client")) {
			c.do(paragraph)
		}
		out.Files = append(out.Files, c.finish()...)
	}, script...)
	return out
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// prepare puts what the archive says into the world.
func (p *process) prepare(a *txtar.Archive) {
	p.t.Helper()
	if models := strings.TrimSpace(section(a, "models.json")); models == "silent" {
		p.model.SetModels(modeltest.Silent())
	} else if models != "" {
		p.model.SetModels(modeltest.Reply{Body: models})
	}
	for _, dir := range []string{"/work/project", "/work/one", "/work/two", "/work/elsewhere"} { // in which clients work
		if err := p.disk.MkdirAll(dir, 0o700); err != nil {
			p.t.Fatal(err)
		}
	}
	for _, f := range a.Files {
		if path, ok := strings.CutPrefix(f.Name, "file/"); ok {
			p.put(path, f.Data)
		}
		id, own := strings.CutPrefix(f.Name, "disk/")
		id, foreign := strings.CutPrefix(id, "foreign/")
		if !own && !foreign {
			continue
		}
		dir := filepath.Join(home, id)
		if err := p.disk.MkdirAll(dir, 0o700); err != nil {
			p.t.Fatal(err)
		}
		log, err := p.disk.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			p.t.Fatal(err)
		}
		if _, err := log.Write(p.logOf(id, torn(f.Data), own)); err != nil {
			p.t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			p.t.Fatal(err)
		}
	}
}

// logOf returns the log of a session, of the one in a transcript. If this machine has made the
// session, the id of its session.start event shows that.
func (p *process) logOf(id string, log []byte, own bool) []byte {
	p.t.Helper()
	line, _, _ := bytes.Cut(log, []byte("\n"))
	e, err := wire.ParseEvent(line)
	if !own || err != nil || e.Type != "session.start" {
		return log
	}
	o := state.OriginOf(e.ID, wire.Raw(e.Data))
	made, err := approval.OpenGrants(p.disk, permissionsFile).StartID(id, o.Started, o.Cwd)
	if err != nil {
		p.t.Fatal(err)
	}
	return bytes.ReplaceAll(log, []byte(o.ID), []byte(made))
}

// put makes a file.
func (p *process) put(path string, data []byte) {
	p.t.Helper()
	if err := p.disk.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(p.disk, path, data, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// torn takes the last line feed, which an archive cannot do without, off a log
// whose last record was being written when the process died.
func torn(log []byte) []byte {
	whole := bytes.TrimSuffix(log, []byte("\n"))
	if last := whole[bytes.LastIndexByte(whole, '\n')+1:]; !json.Valid(last) {
		return whole
	}
	return log
}

// paragraphs cuts at blank lines; lines that begin with # are for readers.
func paragraphs(text string) (out [][]string) {
	fresh := true
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			fresh = true
		case strings.HasPrefix(line, "#"):
		case fresh:
			out = append(out, []string{line})
			fresh = false
		default:
			out[len(out)-1] = append(out[len(out)-1], line)
		}
	}
	return out
}

// conversation is a transcript being made.
type conversation struct {
	p     *process
	open  map[string]*speaker // by name
	all   []*speaker
	asked map[string]string // the last requestId by event type, and cursors
	said  []string          // paragraphs of the server
}

// speaker is a connection, and how much of what it heard is in the transcript.
type speaker struct {
	*peer
	name  string
	ids   []string       // of its requests, in order
	shown int            // messages in the transcript
	since map[string]int // by session: messages before its client last came or went
}

var (
	named     = regexp.MustCompile(`^([a-z]): (.*)$`)
	reference = regexp.MustCompile(`"\$([a-z_.]+(?: [\w.]+)?)"`)
)

// do does one paragraph and keeps what the server says to it.
func (c *conversation) do(lines []string) {
	c.p.t.Helper()
	said := ""
	for _, line := range lines {
		name := "a"
		if found := named.FindStringSubmatch(line); found != nil {
			name, line = found[1], found[2]
		}
		what, isWait := strings.CutPrefix(line, "wait ")
		switch {
		case line == "restart":
			c.p.end()
			said += c.news()
			c.open = nil
			c.p.start()
		case line == "hang up":
			c.speaker(name).hangUp()
		case isWait:
			c.wait(c.speaker(name), what)
		case strings.HasPrefix(line, "{"):
			c.send(c.speaker(name), line)
		default:
			c.p.t.Fatalf("a client cannot do %q", line)
		}
	}
	synctest.Wait()
	if said += c.news(); said == "" {
		said = "(nothing)\n"
	}
	c.said = append(c.said, said)
}

// speaker returns the connection of that name, which begins when it is first used.
func (c *conversation) speaker(name string) *speaker {
	s := c.open[name]
	if s == nil {
		s = &speaker{peer: c.p.connect(), name: name, since: map[string]int{}}
		if c.open == nil {
			c.open = map[string]*speaker{}
		}
		c.open[name] = s
		c.all = append(c.all, s)
	}
	return s
}

func (c *conversation) wait(s *speaker, what string) {
	c.p.t.Helper()
	if d, err := time.ParseDuration(what); err == nil {
		<-time.After(d)
		return
	}
	s.await(what, s.shown, func(m *message) bool { return m.event.Type == what })
}

func (c *conversation) send(s *speaker, line string) {
	c.p.t.Helper()
	line = reference.ReplaceAllStringFunc(line, func(ref string) string {
		id := c.asked[reference.FindStringSubmatch(ref)[1]]
		if id == "" {
			c.p.t.Fatalf("%s: no earlier paragraph has such an event", line)
		}
		return strconv.Quote(id)
	})
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.p.t.Fatalf("%s: %v", line, err)
	}
	if m.ID != nil {
		s.ids = append(s.ids, string(m.ID))
	}
	if m.Method == "session.resume" || m.Method == "session.detach" {
		var of struct{ SessionID string }
		_ = json.Unmarshal(m.Params, &of) // what is no id is for the server to refuse
		s.since[of.SessionID] = len(s.messages())
	}
	s.write(`{"jsonrpc":"2.0",` + line[1:])
}

// news returns what was said on all connections since it was last called.
func (c *conversation) news() string {
	var out strings.Builder
	for _, s := range c.all {
		heard := s.messages()[s.shown:]
		s.shown += len(heard)
		for _, m := range heard {
			c.remember(&m)
		}
		for _, line := range transcribe(ordered(heard, s.ids)) {
			if s.name != "a" {
				out.WriteString(s.name + ": ")
			}
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// remember notes what clients were asked, and the cursors they were given.
func (c *conversation) remember(m *message) {
	if c.asked == nil {
		c.asked = map[string]string{}
	}
	if id := m.event.requestID(); id != "" {
		c.asked[m.event.Type] = id
	}
	c.asked["event "+m.event.Type] = m.event.ID
	var result struct{ Cursor, MessageID, ID string }
	_ = json.Unmarshal(m.result, &result) // most results have none of them
	c.asked["cursor "+m.id], c.asked["message "+m.id], c.asked["item "+m.id] = result.Cursor, result.MessageID, result.ID
}

// finish checks what was told against the logs and returns the last sections.
func (c *conversation) finish() []txtar.File {
	t := c.p.t
	t.Helper()
	out := []txtar.File{{Name: "server", Data: []byte(strings.Join(c.said, "\n"))}}
	sessions, err := c.p.store.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(sessions, func(a, b eventlog.Info) int { return strings.Compare(a.ID, b.ID) })
	for _, info := range sessions {
		id := info.ID
		log := c.p.stored(id)
		for _, s := range c.all {
			if err := checkChain(s.events(id, s.since[id]), log); err != nil {
				t.Errorf("connection %s, session %s: %v", s.name, id, err)
			}
		}
		var text bytes.Buffer
		for _, line := range log {
			text.Write(append(line, '\n'))
		}
		out = append(out, txtar.File{Name: "log/" + id, Data: text.Bytes()})
	}
	n := normalizer{}
	for i := range out {
		out[i].Data = n.normalize(out[i].Data)
		out[i].Name = string(n.normalize([]byte(out[i].Name)))
	}
	return out
}
