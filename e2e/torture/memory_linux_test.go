package torture_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// size is what a process holds.
type size struct{ memory, files, threads int } // memory in KiB

func sizeOf(t *testing.T, pid int) (s size) {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	s.files = len(files)
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &s.memory) // on one line of many
		_, _ = fmt.Sscanf(line, "Threads: %d", &s.threads)
	}
	return s
}

// A process that lived through full and slow disks holds what it held before. The
// bounds are wide: what leaks, leaks each round.
func TestAProcessComesBackFromBadDisks(t *testing.T) {
	home := t.TempDir()
	p := begun(t, home, fault{waves, 63, 4})
	defer p.kill()
	const warm = 20
	var before size
	refusals := 0
	for i := range memoryRounds {
		if i == warm {
			before = sizeOf(t, p.cmd.Process.Pid)
		}
		if refused(round(t, p, home, fmt.Sprintf("s%d", i))) {
			refusals++
		}
	}
	now := sizeOf(t, p.cmd.Process.Pid)
	for limit := time.Now().Add(patience); now.files > before.files+4 && time.Now().Before(limit); {
		now = sizeOf(t, p.cmd.Process.Pid) // connections are closed by the far side, too
	}
	t.Logf("after %d rounds %+v, after %d rounds %+v; %d rounds did not get to their end", warm, before, memoryRounds, now, refusals)
	if now.files > before.files+4 || now.memory > 2*before.memory+16<<10 || now.threads > before.threads+8 {
		t.Errorf("the process has grown from %+v to %+v", before, now)
	}
}

// A process in which sessions with sub-agents came and went holds what it held before.
func TestSubAgentsLeaveNothing(t *testing.T) {
	const warm, spare = 10, 32 // connections to the model that are kept for a while: the process has had 29 to 58 files open after the same work
	g := newGrove(t, max(agentSessions, 3*warm))
	p := begun(t, g.home, fault{kind: none})
	defer p.kill()
	work := func(some []*growing) {
		inParallel(agentsAtOnce, some, func(s *growing) {
			if err := s.meet(p.addr, func(*talk) error { return s.grow() }); err != nil {
				t.Errorf("%s: %v", s.id, err)
			}
			s.hangUp()
		})
	}
	work(g.talks[:warm])
	before := sizeOf(t, p.cmd.Process.Pid)
	work(g.talks[warm:])
	now := sizeOf(t, p.cmd.Process.Pid)
	for limit := time.Now().Add(patience); now.files > before.files+spare && time.Now().Before(limit); {
		now = sizeOf(t, p.cmd.Process.Pid)
	}
	t.Logf("after %d sub-agents %+v, after %d %+v", warm*agentsEach, before, len(g.talks)*agentsEach, now)
	if now.files > before.files+spare || now.memory > before.memory+16<<10 || now.threads > before.threads+8 {
		t.Errorf("the process has grown from %+v to %+v", before, now)
	}
}

// round is one conversation on a disk that is full now and then.
func round(t *testing.T, p *process, home, id string) error {
	t.Helper()
	model := modeltest.NewServer()
	defer model.Close()
	s := newTalk(id, variants[2], model.URL(), home)
	s.lenient = true
	model.Add(replies(s.v, []*talk{s})...)
	defer s.hangUp()
	err := s.meet(p.addr, (*talk).play)
	if err != nil && !refused(err) {
		t.Errorf("%s: %v; A heard last:\n%s", id, err, s.heardLast(12))
	}
	if err := s.call(s.b, "session.delete", map[string]any{}, nil); err != nil && !refused(err) {
		t.Errorf("%s: delete: %v", id, err)
	}
	return err
}
