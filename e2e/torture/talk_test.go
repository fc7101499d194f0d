//go:build unix

package torture_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
)

// talk is one session as its two clients live it, through all processes. A runs
// the tools, B answers questions. One goroutine at a time uses it.
type talk struct {
	id  string
	v   variant
	url string // of the model
	dir string // where the tools are said to work

	again atomic.Bool // the session was opened by another process; the model stalls for none but the first

	a, b *seat  // nil while nobody is connected
	addr string // of the process

	// The promises that were made by answers and events.
	created  bool
	ears     []*ear            // of every time that a client was attached, oldest first
	ofA      []*ear            // as many of them as were A's
	sent     []string          // ids of messages that were accepted
	dropped  map[string]bool   // of those, which an abort may have taken out of the queue
	results  map[string]string // of tool calls, that were accepted
	approved map[string]bool   // requests of which this process accepted an approval
	answered map[string]bool   // questions of which an answer was accepted
	asked    int               // how many questions were answered
	accepted int               // messages, results, approvals and answers
	readBack []told            // what the program said its log holds, in the end

	// The changes that the test made to the log after a process had died.
	lost        map[string]bool // events that may be missing
	vanished    bool            // the log may be missing
	broken      bool            // its last line was no event when it was opened
	flipped     string          // the line that we changed, as it is now; empty: none
	named       bool            // and the index named it
	flippedAt   int             // its place in the log
	flippedData data            // and as it was

	ended    bool // the session came to rest in the last process: nothing is open
	lenient  bool // refusals are in order: the disk is bad
	problems []problem
}

// seat is a client's place in the session: what it hears, and up to where it has
// listened.
type seat struct {
	*client
	ear *ear
	at  int
}

// next returns the next event.
func (s *seat) next() (told, error) {
	e, err := s.ear.at(s.at)
	if err == nil {
		s.at++
	}
	return e, err
}

// until listens up to the event of that id.
func (s *seat) until(id string) error {
	for {
		if e, err := s.next(); err != nil || e.ID == id {
			return err
		}
	}
}

func newTalk(id string, v variant, url, dir string) *talk {
	return &talk{
		id: id, v: v, url: url, dir: dir,
		lost: map[string]bool{}, dropped: map[string]bool{}, results: map[string]string{}, approved: map[string]bool{}, answered: map[string]bool{},
	}
}

// connect gives both clients new connections.
func (t *talk) connect(addr string) (err error) {
	t.addr = addr
	if t.a, err = t.sit(addr); err != nil {
		return err
	}
	t.b, err = t.sit(addr)
	return err
}

func (t *talk) sit(addr string) (*seat, error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	return &seat{client: c}, nil
}

// hangUp ends both connections.
func (t *talk) hangUp() {
	for _, s := range []*seat{t.a, t.b} {
		if s != nil {
			s.close()
		}
	}
	t.a, t.b = nil, nil
}

// enter creates the session with A in it, or, if it is there, lets A resume it;
// then B comes in.
func (t *talk) enter(method string, more map[string]any) error {
	params := t.params(more)
	params["tools"] = tools
	if err := t.join(t.a, method, params); err != nil {
		return err
	}
	t.ofA = append(t.ofA, t.a.ear)
	t.created = true
	return t.join(t.b, "session.resume", t.params(map[string]any{"requestPermission": true}))
}

func (t *talk) join(s *seat, method string, params map[string]any) error {
	s.ear, s.at = s.listen(t.id), 0
	t.ears = append(t.ears, s.ear)
	return s.call(method, params, nil)
}

func (t *talk) params(more map[string]any) map[string]any {
	p := map[string]any{
		"sessionId": t.id, "streaming": t.v.streaming, "workingDirectory": t.dir,
		"provider": map[string]any{"baseUrl": t.url + "/v1", "modelId": "test-model"},
	}
	if t.v.scene != nil {
		maps.Copy(p, t.v.scene.config)
	}
	maps.Copy(p, more)
	return p
}

// tools are what A brings. For probe somebody has to be asked.
var tools = []map[string]any{
	{"name": "probe", "description": "Looks closely."},
	{"name": "left", "description": "Looks left.", "skipPermission": true},
	{"name": "right", "description": "Looks right.", "skipPermission": true},
}

// call calls a method of the session.
func (t *talk) call(s *seat, method string, params map[string]any, result any) error {
	params["sessionId"] = t.id
	return s.call(method, params, result)
}

// send sends the message of a step, and notes its id once it is accepted.
func (t *talk) send(s *seat, step, mode string) (id string, err error) {
	return t.sendWith(s, step, map[string]any{"mode": mode})
}

// sendWith is send with other parameters.
func (t *talk) sendWith(s *seat, step string, params map[string]any) (id string, err error) {
	var sent struct{ MessageID string }
	params["prompt"] = t.prompt(step)
	err = t.call(s, "session.send", params, &sent)
	if err == nil {
		t.sent = append(t.sent, sent.MessageID)
		t.accepted++
	}
	return sent.MessageID, err
}

// prompt is what is said in a step. The model knows steps by their names.
func (t *talk) prompt(step string) string { return t.mark(step) + " " + filler(t.v.text) }

func (t *talk) mark(step string) string { return fmt.Sprintf("[%s %s]", t.id, step) }

// filler is text of n bytes that has everything in it that a log must escape.
func filler(n int) string {
	const odd = "a \"b\"\\\n\t\u2028é\x00 "
	return strings.Repeat(odd, n/len(odd)+1)[:n/len(odd)*len(odd)]
}

// result is what a tool call of A's comes to.
func (t *talk) result(call string) string { return "seen by " + call + " " + filler(t.v.text) }

// answer runs a tool as A and tells the result; whether it was wanted.
func (t *talk) answer(request, call string) (bool, error) {
	var ok struct{ Success bool }
	err := t.call(t.a, "session.tools.handlePendingToolCall", map[string]any{"requestId": request, "result": t.result(call)}, &ok)
	if err == nil && ok.Success {
		t.results[call] = t.result(call)
		t.accepted++
	}
	return ok.Success, err
}

// approve says yes to a request as B; whether it was wanted.
func (t *talk) approve(request string) (bool, error) {
	var ok struct{ Success bool }
	err := t.call(t.b, "session.permissions.handlePendingPermissionRequest",
		map[string]any{"requestId": request, "result": map[string]any{"kind": "approve-once"}}, &ok)
	if err == nil && ok.Success {
		t.approved[request] = true
		t.accepted++
	}
	return ok.Success, err
}

// history asks for the log.
func (t *talk) history() ([]told, error) {
	var h struct{ Events []json.RawMessage }
	err := t.call(t.a, "session.getMessages", map[string]any{}, &h)
	log := make([]told, len(h.Events))
	for i, raw := range h.Events {
		log[i] = newTold(raw)
	}
	return log, err
}
