package app_test

import (
	"fmt"
	"net"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// program is a client of the server, as a program on an SDK is.
type program struct {
	client   *client.Client
	sessions map[string]*client.Session
	told     map[string][]byte // persisted events by session, one a line
}

func (p *program) close() { _ = p.client.Close() } // the server may have been killed

// connect dials the server and shakes hands, with the token if one is given.
func connect(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) > 1, "[!] connect [TOKEN]")
	w := worldOf(ts)
	if w.program != nil {
		w.program.close()
	}
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", w.process.port))
	ts.Check(err)
	w.program = &program{
		client: client.New(conn, client.Options{}), sessions: map[string]*client.Session{}, told: map[string][]byte{},
	}
	token := ""
	if len(args) == 1 {
		token = args[0]
	}
	ctx, cancel := within(patience)
	defer cancel()
	err = w.program.client.Connect(ctx, token)
	if err != nil {
		fmt.Fprintln(ts.Stderr(), err)
	}
	if (err != nil) != neg {
		ts.Fatalf("connect: %v", err)
	}
}

// open creates a session, or resumes it if it exists.
func open(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "open ID")
	p := worldOf(ts).program
	ctx, cancel := within(patience)
	defer cancel()
	var known struct{ Session *struct{} }
	ts.Check(p.client.Call(ctx, "session.getMetadata", map[string]any{"sessionId": args[0]}, &known))
	enter := p.client.CreateSession
	if known.Session != nil {
		enter = p.client.ResumeSession
	}
	s, err := enter(ctx, client.Config{ID: args[0], Params: map[string]any{"streaming": true}})
	ts.Check(err)
	p.sessions[args[0]] = s
}

func send(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "send ID TEXT")
	ctx, cancel := within(patience)
	defer cancel()
	_, err := sessionOf(ts, args[0]).Send(ctx, args[1])
	ts.Check(err)
}

// await reads a session's events up to the first of a type.
func await(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "await ID TYPE")
	p := worldOf(ts).program
	ctx, cancel := within(patience)
	defer cancel()
	for {
		e, err := sessionOf(ts, args[0]).Next(ctx)
		ts.Check(err)
		if !e.Ephemeral {
			p.told[args[0]] = append(wire.AppendEvent(p.told[args[0]], &e), '\n')
		}
		if string(e.Type) == args[1] {
			return
		}
	}
}

func told(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "told ID")
	_, err := ts.Stdout().Write(worldOf(ts).program.told[args[0]])
	ts.Check(err)
}

func sessionOf(ts *testscript.TestScript, id string) *client.Session {
	s := worldOf(ts).program.sessions[id]
	if s == nil {
		ts.Fatalf("session %s is not open in this client", id)
	}
	return s
}
