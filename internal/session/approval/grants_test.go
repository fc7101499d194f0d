package approval

import (
	"os"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestGrants(t *testing.T) {
	disk := vfs.NewMem()
	one, two := OpenGrants(disk, "/home/permissions.json"), OpenGrants(disk, "/home/permissions.json")
	rule := func(s string) []wire.PermissionRule { return []wire.PermissionRule{{Kind: "shell", Argument: &s}} }
	for i, g := range []*Grants{one, two} {
		if err := g.change(func(b *grantsFile) {
			b.at("/w").add(rule([]string{"ls", "cat"}[i]))
			b.Addresses = append(b.Addresses, "a.example")
		}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := one.read()
	if err != nil || len(b.Locations["/w"].Rules) != 2 || len(one.addresses()) != 2 {
		t.Errorf("one process sees %+v, %v of what two wrote", b.Locations["/w"], err)
	}
	disk.Crash()
	if b, err = two.read(); err != nil || b.Locations["/w"] == nil || len(b.Locations["/w"].Rules) != 2 {
		t.Fatalf("after a power cut %+v, %v is left", b, err)
	}
	f, err := disk.OpenFile("/home/permissions.json", os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("{")); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := one.read(); err == nil || !strings.Contains(err.Error(), "/home/permissions.json") {
		t.Errorf("a damaged file is read with %v, want an error that names it", err)
	}
	if err := one.change(func(b *grantsFile) { b.Trusted = nil }); err == nil {
		t.Error("a damaged file is overwritten")
	}
	if one.addresses() != nil {
		t.Error("a damaged file allows something")
	}
}
