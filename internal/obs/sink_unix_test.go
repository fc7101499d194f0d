//go:build unix

package obs_test

import (
	"io"
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
	defer r.Close()
	logger, _, err := obs.NewLogger(obs.Options{Stderr: w})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 3000)
	for range 200 { // far more than a pipe holds; without a bound, this never ends
		logger.Warn("m", "v", long)
	}
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(r)
		read <- string(text)
	}()
	for i := 0; i < 1000; i++ { // until the reader has made room
		logger.Warn("again")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text := <-read
	if !strings.Contains(text, " lines of the log are missing here: nobody has read stderr\n") {
		t.Errorf("%d bytes were read, and none says that lines are missing; the end is %q", len(text), text[max(len(text)-300, 0):])
	}
}
