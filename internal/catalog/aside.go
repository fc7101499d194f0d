package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// asideEvery bounds how often a damaged database is replaced: more often means
// that it is the disk.
const asideEvery = time.Minute

// replace moves a database that is damaged, or has other tables, out of the way.
// An error is why it may not: it is another program's to judge, or this has just
// been done and did not help.
func (c *Catalog) replace(why error) error {
	mine := c.file.info
	c.file.close()
	switch {
	case c.opts.Existing:
		return why
	case errors.Is(why, errForeign) && c.file.opened: // it came while we were running: somebody newer is using it
		return why
	case !c.file.aside.IsZero() && time.Since(c.file.aside) < asideEvery:
		return why
	}
	c.file.aside = time.Now()
	if now, err := disk.Stat(c.opts.Path); err == nil && mine != nil && !os.SameFile(now, mine) {
		return nil // another process has replaced it already
	}
	c.clearAside()
	name := fmt.Sprintf("%s.damaged-%d", c.opts.Path, c.file.aside.UnixMilli())
	for _, part := range []string{"-wal", "-shm", ""} { // the log first: it must never meet a new database
		if err := disk.Rename(c.opts.Path+part, name+part); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	c.opts.Logger.Warn("the catalogue was damaged and is built anew from the logs", "path", c.opts.Path, "kept", name, "err", why)
	return nil
}

// clearAside removes what was moved aside before: one is enough to see why.
func (c *Catalog) clearAside() {
	dir, base := filepath.Split(c.opts.Path)
	entries, err := disk.ReadDir(filepath.Clean(dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base+".damaged-") {
			_ = disk.Remove(filepath.Join(dir, e.Name())) // it takes up space, and no more
		}
	}
}
