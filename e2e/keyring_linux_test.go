package e2e_test

import (
	"bufio"
	"bytes"
	bits "encoding/binary"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// keyring is a session bus with a keyring on it: the calls of D-Bus and of the Secret Service that
// programs make to get, set and remove secrets.
// Source: the specification of D-Bus, and https://specifications.freedesktop.org/secret-service.
type keyring struct {
	t    *testing.T
	path string

	mu      sync.Mutex // guards the rest
	secrets map[string]string
}

const ringPath = "/org/freedesktop/secrets"

// newKeyring starts a bus, until the test ends.
func newKeyring(t *testing.T) *keyring {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	k := &keyring{t: t, path: filepath.Join(dir, "bus"), secrets: map[string]string{}}
	l, err := net.Listen("unix", k.path)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { k.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		serving.Wait()
		_ = os.RemoveAll(dir)
	})
	return k
}

// address is the bus as DBUS_SESSION_BUS_ADDRESS says it.
func (k *keyring) address() string { return "unix:path=" + k.path }

// serve answers the calls of one program, until it leaves.
func (k *keyring) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for begun := false; !begun; {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		var answer string
		switch words := strings.Fields(strings.Trim(line, "\x00\r\n")); {
		case len(words) == 0:
		case words[0] == "BEGIN":
			begun = true
		case words[0] == "AUTH" && len(words) > 1:
			answer = "OK 0123456789abcdef0123456789abcdef\r\n"
		case words[0] == "AUTH":
			answer = "REJECTED EXTERNAL\r\n"
		default:
			answer = "ERROR\r\n"
		}
		if _, err := conn.Write([]byte(answer)); err != nil {
			return
		}
	}
	for serial := uint32(1); ; serial++ {
		call, err := dbus.DecodeMessage(in)
		if err != nil {
			return
		}
		member, _ := call.Headers[dbus.FieldMember].Value().(string)
		path, _ := call.Headers[dbus.FieldPath].Value().(dbus.ObjectPath)
		if _, err := conn.Write(k.reply(serial, call.Serial(), k.answer(member, string(path), call.Body))); err != nil {
			return
		}
	}
}

// reply encodes the answer to a call.
func (k *keyring) reply(serial, to uint32, body []any) []byte {
	m := &dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{dbus.FieldReplySerial: dbus.MakeVariant(to)}, Body: body}
	if len(body) > 0 {
		m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body...))
	}
	var out bytes.Buffer
	if err := m.EncodeTo(&out, bits.LittleEndian); err != nil {
		k.t.Errorf("the answer %v: %v", body, err)
	}
	bits.LittleEndian.PutUint32(out.Bytes()[8:], serial) // the module has no way to set it
	return out.Bytes()
}

// ringSecret is a secret as it is sent.
type ringSecret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// answer does what a call asks for.
func (k *keyring) answer(member, path string, body []any) []any {
	k.mu.Lock()
	defer k.mu.Unlock()
	none := dbus.ObjectPath("/")
	items := func(name string) []dbus.ObjectPath {
		if _, known := k.secrets[name]; !known {
			return []dbus.ObjectPath{}
		}
		return []dbus.ObjectPath{dbus.ObjectPath(ringPath + "/item/" + hexName(name))}
	}
	switch member {
	case "Hello":
		return []any{":1.1"}
	case "Get": // Collections
		return []any{dbus.MakeVariant([]dbus.ObjectPath{ringPath + "/collection/login"})}
	case "OpenSession":
		return []any{dbus.MakeVariant(""), dbus.ObjectPath(ringPath + "/session/1")}
	case "Unlock":
		return []any{body[0], none}
	case "SearchItems":
		return []any{items(body[0].(map[string]string)["username"])}
	case "GetSecret":
		return []any{ringSecret{ringPath + "/session/1", []byte{}, []byte(k.secrets[k.named(path)]), "text/plain"}}
	case "CreateItem":
		attributes := body[0].(map[string]dbus.Variant)["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
		if attributes["service"] != "sidestick" {
			k.t.Errorf("an item of %v", attributes)
		}
		k.secrets[attributes["username"]] = string(body[1].([]any)[2].([]byte))
		return []any{items(attributes["username"])[0], none}
	case "Delete":
		delete(k.secrets, k.named(path))
		return []any{none}
	}
	return nil
}

// named is the name of an item's secret.
func (k *keyring) named(path string) string {
	for name := range k.secrets {
		if strings.HasSuffix(path, "/"+hexName(name)) {
			return name
		}
	}
	return ""
}

// hexName is a name as a part of the path of an object.
func hexName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		b.WriteString(string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
	}
	return b.String()
}

func (k *keyring) now() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.secrets)
}
