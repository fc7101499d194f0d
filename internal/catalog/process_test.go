package catalog_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/catalog"
)

// dying names the database for a child process that is killed while it writes.
const dying = "SIDESTICK_TEST_CATALOG"

// dieWriting is that child: it writes rows until it is killed, and prints when it has
// started. In the parent it returns false.
func dieWriting() bool {
	path := os.Getenv(dying)
	if path == "" {
		return false
	}
	d := &desk{path: path, logs: newLogs(session("only", 1))}
	c := catalog.New(catalog.Options{Path: path, Source: d.logs, Existing: true})
	for n := 0; ; n++ {
		for i := range 100 {
			d.put(c, session(fmt.Sprint("s", i), n))
		}
		if _, err := c.List(context.Background(), catalog.Query{Limit: 1}); err != nil {
			fmt.Println(err)
			return true
		}
		fmt.Println("written")
	}
}

// A process that is killed while it writes damages nothing, and a comparison finds what
// it had not written.
func TestAWriterThatIsKilled(t *testing.T) {
	d := &desk{t: t, path: filepath.Join(t.TempDir(), "catalog.db"), logs: newLogs(session("only", 1)), said: new(syncBuffer)}
	c := d.open()
	d.wantList(c, "only")
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), dying+"="+d.path)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range round + 1 {
			if !lines.Scan() || lines.Text() != "written" {
				t.Errorf("the child printed %q", lines.Text())
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if _, found, err := c.Get(context.Background(), "s99"); !found || err != nil {
			t.Errorf("the row of the child: %v, %v", found, err)
		}
		next := d.open(func(o *catalog.Options) { o.Patience = patience })
		d.wantList(next, "only")
		d.wantList(c, "only")
		next.Close(context.Background())
	}
	if d.warnings() != 0 {
		t.Errorf("logged:\n%s", d.said)
	}
}
