package known_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const atHome = "http://localhost:8080/v1"

func said(model string, tokens int64) known.KeptWindow {
	return known.KeptWindow{Address: atHome, Model: model, Said: tokens, Source: "the server's /props", SaidOn: time.Now().UTC()}
}

// Processes that keep windows at the same time lose none of them, and the file is readable only by its owner.
func TestProcessesKeepWindowsTogether(t *testing.T) {
	home := t.TempDir()
	var all sync.WaitGroup
	for p := range 8 {
		all.Go(func() {
			w := known.OpenWindows(nil, home, nil)
			for i := range 4 {
				w.Keep(said(fmt.Sprintf("m%d-%d", p, i), 8192))
			}
		})
	}
	all.Wait()
	next := known.OpenWindows(nil, home, nil)
	for p := range 8 {
		for i := range 4 {
			if k := next.Of(atHome, fmt.Sprintf("m%d-%d", p, i)); k.Said != 8192 {
				t.Errorf("the window of m%d-%d is %+v", p, i, k)
			}
		}
	}
	if info, err := os.Stat(home + "/windows.json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
}

// The file has at most 256 entries, the newest; those of more than 30 days ago count no longer.
func TestKeptWindowsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := vfs.NewMem()
		w := known.OpenWindows(fsys, "/home", nil)
		for i := range 300 {
			w.Keep(said(fmt.Sprint("m", i), 8192))
			time.Sleep(time.Second)
		}
		w.Keep(said(strings.Repeat("m", 2000), 8192))
		data, _ := fsys.ReadFile("/home/windows.json")
		if n := bytes.Count(data, []byte(`"address"`)); n != 256 || w.Of(atHome, "m0").Said != 0 || w.Of(atHome, "m299").Said != 8192 {
			t.Errorf("the file has %d entries", n)
		}
		time.Sleep(31 * 24 * time.Hour)
		if k := known.OpenWindows(fsys, "/home", nil).Of(atHome, "m299"); k.Said != 0 {
			t.Errorf("after 31 days it is still %+v", k)
		}
	})
}

// The same answer is not written again on the same day, and an address with credentials never.
func TestWhatIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := vfs.NewMem()
		writes := 0
		counting := vfs.Fail(fsys, func(op vfs.Op) error {
			if op.Name == "rename" {
				writes++
			}
			return nil
		})
		w := known.OpenWindows(counting, "/home", nil)
		for range 5 {
			w.Keep(said("m", 8192))
			time.Sleep(time.Minute)
		}
		secret := said("m", 8192)
		for _, secret.Address = range []string{"http://u:p@localhost/v1", "http://localhost/v1?key=1", ""} {
			w.Keep(secret)
		}
		if writes != 1 {
			t.Errorf("the file was written %d times, want once", writes)
		}
	})
}

// A file that is damaged counts as empty, and the log says so.
func TestADamagedFileOfWindowsCountsAsEmpty(t *testing.T) {
	for _, text := range []string{"{", `{"windows": 1}`, `[]`, `{"windows":[{"address":"` + atHome + `","model":"m","said":-1}]}`, strings.Repeat(" ", 2<<20)} {
		home := t.TempDir()
		if err := os.WriteFile(home+"/windows.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		w := known.OpenWindows(nil, home, slog.New(slog.NewTextHandler(&logged, nil)))
		if k := w.Of(atHome, "m"); k.Said != 0 || !strings.Contains(text, "-1") && !strings.Contains(logged.String(), "cannot be read") {
			t.Errorf("%.30s: %+v, %s", text, k, logged.String())
		}
		w.Keep(said("m", 8192))
		if k := known.OpenWindows(nil, home, nil).Of(atHome, "m"); k.Said != 8192 {
			t.Errorf("%.30s: after a change it is %+v", text, k)
		}
	}
}
