package proxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// connect opens a connection if the rules allow it. The caller drops it.
func (s *server) connect(ctx context.Context, to permit.Connection) (net.Conn, *failure) {
	if f := s.check(to); f != nil {
		return nil, f
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	far, err := s.dial(ctx, to)
	if err != nil {
		return nil, s.dialFailure(to, err)
	}
	if !s.add(far) {
		return nil, &failure{http.StatusServiceUnavailable, replyFailed, "the sandbox is closing", "Start the command again."}
	}
	return far, nil
}

// check refuses a connection that the rules do not allow, before its name is looked up.
func (s *server) check(to permit.Connection) *failure {
	d := s.decide(to)
	switch {
	case d.Verdict == permit.Allow:
		return nil
	case d.Verdict == permit.Deny:
		return s.refuse(to.String()+" is "+d.Why,
			"A deny rule wins over every allow rule. Only the user can change it; do not try another way to this host.")
	case d.Doubt: // no allow rule helps
		return s.refuse(to.String()+" is not allowed in the sandbox: "+d.Why,
			"Only the user can change the deny rule; do not try another way to this host.")
	}
	rule := to.Rule()
	return s.refuse(to.String()+" is not allowed in the sandbox: "+d.Why,
		"The user can allow it with the rule "+rule.String()+", as in --allow-tool '"+rule.String()+"', or with allowedHosts of the sandbox.")
}

// refuse remembers a refusal and returns its answer.
func (s *server) refuse(why, next string) *failure {
	s.refused.add(why)
	return &failure{http.StatusForbidden, replyRefused, why, next}
}

// remember is for a target that could not be parsed: it was refused if its host is the reason.
func (s *server) remember(f *failure) {
	if f.reply == replyRefused {
		s.refused.add(f.why)
	}
}

// dial connects, directly or by the user's own proxy.
func (s *server) dial(ctx context.Context, to permit.Connection) (net.Conn, error) {
	if s.upstream == nil {
		return s.connector.Dial(ctx, to.Host, to.Port)
	}
	if err := s.connector.CheckHost(to.Host, true); err != nil {
		return nil, err
	}
	if to.Path != "" {
		return s.upstream.dial(ctx)
	}
	return s.upstream.connect(ctx, to)
}

// dialFailure returns the answer to an error of dial.
func (s *server) dialFailure(to permit.Connection, err error) *failure {
	var local dial.PrivateError
	var name *net.DNSError
	why := "no connection to " + to.String() + ": " + err.Error()
	switch {
	case errors.As(err, &local):
		return s.refuse(to.String()+" is not allowed in the sandbox: "+err.Error(),
			"A rule for the host is not enough. Only the user can open this machine and private networks, with allowLocalNetwork of the sandbox.")
	case errors.As(err, &name) && name.IsNotFound:
		return &failure{http.StatusBadGateway, replyUnreachable, to.Host + " has no address: its name was not found", "Check the name."}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return &failure{http.StatusGatewayTimeout, replyUnreachable, "no connection to " + to.String() + " within 15 seconds", "Try again later."}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &failure{http.StatusBadGateway, replyNoListener, why, "Check the port."}
	}
	return &failure{http.StatusBadGateway, replyFailed, why, "Try again later; the rules of the sandbox allow this host."}
}
