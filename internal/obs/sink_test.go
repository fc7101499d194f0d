package obs_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// A pipe that nobody reads does not hold up the program. Once it is read, the log says how
// much is missing.
func TestAPipeThatNobodyReadsLosesLines(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	logger, _, err := obs.NewLogger(obs.Options{Stderr: w})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 3000)
	for range 200 { // far more than a pipe holds; without a bound, this never ends
		logger.Warn("m", "v", long)
	}
	found, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			if strings.HasSuffix(lines.Text(), " lines of the log are missing here: nobody has read stderr") {
				close(found)
			}
		}
	}()
	for waiting := true; waiting; { // until the reader has made room
		select {
		case <-found:
			waiting = false
		default:
			logger.Warn("again")
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
