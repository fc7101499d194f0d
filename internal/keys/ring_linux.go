package keys

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// present returns why there is no keyring: without a session bus there is none, and the module
// that speaks to it would start one (dbus-launch), which nothing would end.
func present() error {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return nil
	}
	run := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(run, name)); err == nil {
			return nil
		}
	}
	return errors.New("there is none: this login has no session bus (DBUS_SESSION_BUS_ADDRESS)")
}
