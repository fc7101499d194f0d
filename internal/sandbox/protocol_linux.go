package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// The messages between this program and its keeper inside a sandbox. Each is 4 bytes of
// length, in the order of the network, and JSON. Descriptors travel with the length.

// setup is the first message to a keeper. One that is confined by Landlock gets it twice: it
// executes itself again in between.
type setup struct {
	// Namespaces says that bwrap has made namespaces; otherwise Landlock allows reading Read
	// and writing Write.
	Namespaces  bool   `json:"namespaces"`
	ReadOnly    bool   `json:"readOnly"`
	ABI         int    `json:"abi,omitempty"` // of Landlock
	Read, Write []name `json:",omitempty"`
	// Mounts are what has to be mounted. Only with Namespaces.
	Mounts []mounted `json:"mounts,omitempty"`
	// Canary is a file that the keeper must not be able to read, nor write beside.
	Canary string `json:"canary"`
	// Listen asks for a listener on the loopback address inside, for the proxy.
	Listen bool `json:"listen,omitempty"`
}

// name is the name of a file, which need not be UTF-8: a command can make any. In JSON it is base64,
// because a string there has to be UTF-8.
type name string

// MarshalJSON implements [json.Marshaler].
func (n name) MarshalJSON() ([]byte, error) { return json.Marshal([]byte(n)) }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *name) UnmarshalJSON(text []byte) error {
	var b []byte
	err := json.Unmarshal(text, &b)
	*n = name(b)
	return err
}

// names converts paths for a message, and back.
func names[To, From ~string](paths []From) (all []To) {
	for _, p := range paths {
		all = append(all, To(p))
	}
	return all
}

// request is every later message to a keeper: to start a program, to kill one, to kill everything, or to count.
type request struct {
	ID   int  `json:"id"` // of the program, chosen by the sender; 0 is not used
	Kill bool `json:"kill,omitempty"`
	// Clear asks to kill every process in the sandbox but the keeper. Only with namespaces.
	Clear bool `json:"clear,omitempty"`
	// Count asks how many processes there are. Only with namespaces.
	Count bool   `json:"count,omitempty"`
	Path  string `json:"path,omitempty"`
	// Args include the name of the program.
	Args []string `json:"args,omitempty"`
	Dir  string   `json:"dir,omitempty"`
	Env  []string `json:"env,omitempty"`
	// Terminal asks for a terminal of that size as standard input and output, instead of
	// descriptors.
	Terminal *size `json:"terminal,omitempty"`
}

// size is that of a terminal, in characters.
type size struct{ Rows, Cols uint16 }

// reply is every message from a keeper.
type reply struct {
	ID int `json:"id"` // 0: about the keeper itself
	// PID is that of a program that has started, inside. With a terminal, a descriptor
	// follows.
	PID int `json:"pid,omitempty"`
	// Error is why a program did not start or, of the keeper, why it does not confine.
	Error string `json:"error,omitempty"`
	// NotFound says that the program or its folder does not exist inside.
	NotFound bool `json:"notFound,omitempty"`
	// Cleared says that no process is left in the sandbox but the keeper.
	Cleared bool `json:"cleared,omitempty"`
	// Counted answers Count: Others is the number of processes beside the programs that the keeper has
	// started itself, and what the sandbox consists of.
	Counted bool `json:"counted,omitempty"`
	Others  int  `json:"others,omitempty"`
	// Ended says that the program has ended, with Code as a shell reports it.
	Ended bool `json:"ended,omitempty"`
	Code  int  `json:"code,omitempty"`
}

// Bounds of a message: a command and an environment are each at most some hundred KiB; bash
// has descriptors 0 to 3.
const (
	maxMessage     = 8 << 20
	maxDescriptors = 8
)

// channel sends and receives messages. Sending is safe for concurrent use.
type channel struct {
	conn *net.UnixConn
	mu   sync.Mutex // held while sending
}

// newChannel makes a channel of a connected socket, which it takes over.
func newChannel(socket *os.File) (*channel, error) {
	defer socket.Close()
	conn, err := net.FileConn(socket)
	if err != nil {
		return nil, err
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return nil, fmt.Errorf("descriptor %d is not a socket of the right kind", socket.Fd())
	}
	return &channel{conn: unixConn}, nil
}

// send sends a message. The descriptors stay open here.
func (c *channel) send(message any, files ...*os.File) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if len(body) > maxMessage { // the receiver would give up, and the sandbox end
		return fmt.Errorf("the program, its arguments and its environment have %d bytes, and at most %d are allowed", len(body), maxMessage)
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	text := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _, err := c.conn.WriteMsgUnix(text, rights, nil)
	if err == nil && n < len(text) {
		_, err = c.conn.Write(text[n:])
	}
	return err
}

// receive reads the next message. The caller closes the descriptors.
func (c *channel) receive(message any) (files []*os.File, err error) {
	var head [4]byte
	rights := make([]byte, unix.CmsgSpace(maxDescriptors*4))
	for got := 0; got < len(head); {
		n, rn, _, _, err := c.conn.ReadMsgUnix(head[got:], rights)
		if err == nil && n == 0 {
			err = io.EOF
		}
		if err != nil {
			return nil, err
		}
		got += n
		files = slices.Concat(files, descriptors(rights[:rn]))
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxMessage {
		closeFiles(files)
		return nil, fmt.Errorf("a message of %d bytes, and at most %d are allowed", size, maxMessage)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.conn, body); err != nil {
		closeFiles(files)
		return nil, err
	}
	if err := json.Unmarshal(body, message); err != nil {
		closeFiles(files)
		return nil, err
	}
	return files, nil
}

// descriptors opens what came with a message. No program that is started inherits them.
func descriptors(rights []byte) []*os.File {
	var files []*os.File
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
