package wiring

import "testing"

// The read-only file system refuses every operation that would change a file.
func TestReadOnly(t *testing.T) {
	name := t.TempDir() + "/x"
	fs := readOnly{}
	for op, err := range map[string]error{
		"MkdirAll": fs.MkdirAll(name, 0o700), "Rename": fs.Rename(name, name), "Remove": fs.Remove(name),
		"RemoveAll": fs.RemoveAll(name), "SyncDir": fs.SyncDir(name),
	} {
		if err == nil {
			t.Errorf("%s succeeds", op)
		}
	}
	if _, err := fs.OpenFile(name, 0x1|0x40, 0o600); err == nil {
		t.Error("OpenFile for writing succeeds")
	}
	if _, err := fs.Stat(name); err == nil {
		t.Error("something was made")
	}
}
