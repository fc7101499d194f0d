//go:build unix

package torture_test

import (
	"fmt"
	"strconv"
	"strings"
)

// The ways in which a process is treated badly. An operation is one that changes
// something on disk: open, mkdirall, write, sync, syncall, syncdir, truncate,
// rename, remove, removeall.
const (
	none   = "none"
	before = "before" // it is killed in place of the operation
	after  = "after"  // it is killed when the operation is done and nobody knows
	tear   = "tear"   // it is killed within the write, of which arg thousandths are done
	full   = "full"   // there is no space for arg operations, 0: from here on
	unsync = "unsync" // the first sync from there on fails, as on a dying disk
	slow   = "slow"   // from there on each sync takes arg milliseconds
	waves  = "waves"  // after every op operations there is no space for arg, and each sync is slow
	forget = "forget" // the write is said to be done and is not; it is killed at the next
)

// fault is what one process goes through.
type fault struct {
	kind    string
	op, arg int // operations count from 1
}

// String is how the fault is handed to the process: "tear:17:500".
func (f fault) String() string { return fmt.Sprintf("%s:%d:%d", f.kind, f.op, f.arg) }

// kills says whether the fault ends the process.
func (f fault) kills() bool {
	return f.kind == before || f.kind == after || f.kind == tear || f.kind == forget
}

// refuses says whether the process lives on and may refuse to serve.
func (f fault) refuses() bool { return f.kind == full || f.kind == unsync || f.kind == waves }

func parseFault(text string) (f fault, err error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return f, fmt.Errorf("fault %q is not KIND:OP:ARG", text)
	}
	f.kind = parts[0]
	if f.op, err = strconv.Atoi(parts[1]); err != nil {
		return f, err
	}
	f.arg, err = strconv.Atoi(parts[2])
	return f, err
}
