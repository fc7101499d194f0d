//go:build linux

package canary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// different are everyday commands that end or print otherwise in a sandbox, with the reason.
// Those that reach the network fail in both, as the tests have none.
var different = map[string]string{
	"ps aux | grep node":                     "only the processes of the sandbox are seen",
	"curl -s https://example.com/api | head": "the network is off",
	"git push origin HEAD":                   "the network is off",
	"git fetch origin":                       "the network is off",
	"du -sh .":                               "Git leaves other files in .git",
	"go env GOPATH":                          "in the environment of the test it is below HOME",
	"tree -L 2":                              "links that lead out lead nowhere, and are not counted as folders",
	"time -p ls | head":                      "the time",
	"npm test":                               "the test of the project writes outside and reads a key",
	"make":                                   "the rule of the project writes outside and reads a key",
	"npm run build":                          "npm outside reads the settings of the user's home",
	"npm install":                            "npm outside reads the settings of the user's home",
	"npm ci && npm run lint":                 "npm outside reads the settings of the user's home",
	"make test -j4":                          "time of the run",
	"stat a.txt":                             "the times of a copy",
	"date +%F":                               "the day may have changed",
	"git stash":                              "writes .git",

	"curl -sS -o out.json -H 'Accept: text/plain' https://example.com/api": "the network is off",
	"git remote add up https://example.com/x.git":                          ".git/config cannot be written",
}

// volatile is what differs from one run to the next.
var volatile = regexp.MustCompile(`\d+\.\d+m?s\b|\b[0-9a-f]{7,40}\b|\d+ms\b|\d\d:\d\d(:\d\d)?(\.\d+)?|work\d+|\(cached\)|/tmp/[A-Za-z0-9_./-]*|\t`)

// ordinaryTime is the time for one ordinary command: a compiler starts with an empty cache.
const ordinaryTime = time.Minute

// Everyday commands end in a sandbox as they do outside, and print the same: that is the measure
// that it does not get in the way.
func TestOrdinaryCommandsWorkInside(t *testing.T) {
	if !staged(t, false) {
		return
	}
	p := newProject(t)
	for _, c := range []struct {
		mode     mode
		commands []string
	}{{modes[0], effectstest.Reading()}, {modes[1], effectstest.Ordinary()}, {modes[2], effectstest.Ordinary()}, {modes[3], effectstest.Reading()}} {
		t.Run(c.mode.name, func(t *testing.T) {
			w := newWorld(t)
			defer w.end()
			for _, folder := range []string{"state", "temp"} {
				if err := os.Mkdir(filepath.Join(w.base, folder), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			host := w.host(t, c.mode)
			same := 0
			for i := 0; i < len(c.commands); i += stride {
				command := c.commands[i]
				out, in := w.both(t, c.mode, host, p, command)
				switch {
				case out == in:
					same++
				case !c.mode.git && strings.Contains(command, "git ") && strings.Contains(in, "Read-only file system"):
					t.Logf("%q writes .git", command)
				case different[command] == "":
					t.Errorf("%q\noutside: %s\ninside: %s", command, out, in)
				default:
					t.Logf("%q differs: %s", command, different[command])
				}
			}
			t.Logf("%d commands end the same", same)
		})
	}
}

// both runs a command outside and inside, in copies of the project, and returns what is to be
// compared.
func (w *world) both(t *testing.T, m mode, host *sandbox.Host, p madeProject, command string) (out, in string) {
	t.Helper()
	var got [2]string
	for j, m := range []mode{{bare: true}, m} {
		work, err := p.copyTo(w, "work") // the same path, so that caches are found again
		if err != nil {
			t.Fatal(err)
		}
		r := w.run(t, m, host, w.line(command, work), work, ordinaryTime)
		got[j] = fmt.Sprintf("%d, %v, %s", r.code, r.err, volatile.ReplaceAllString(r.output, "~"))
		remove(work)
	}
	return got[0], got[1]
}
