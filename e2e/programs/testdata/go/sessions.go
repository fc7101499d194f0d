package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	copilot "github.com/github/copilot-sdk/go"
)

// idles receives when a session becomes idle, until stop is called.
func idles(session *copilot.Session) (idle <-chan bool, stop func()) {
	became := make(chan bool, 10)
	return became, session.On(func(e copilot.SessionEvent) {
		if _, ok := e.Data.(*copilot.SessionIdleData); ok {
			became <- true
		}
	})
}

func (s *story) join(ctx context.Context) error {
	first, err := s.create(ctx, nil)
	if err != nil {
		return err
	}
	if os.Getenv("STORY_TRANSPORT") != "tcp" {
		if err := ask(ctx, first, "join: say hello.", "Hello to both."); err != nil {
			return err
		}
		if err := first.Disconnect(); err != nil {
			return err
		}
		return s.continueElsewhere(ctx, first.SessionID, "join: say goodbye.", "Goodbye to both.")
	}
	client, err := connect(ctx)
	if err != nil {
		return err
	}
	second, err := s.resume(ctx, client, first.SessionID)
	if err != nil {
		return err
	}
	listeners := []<-chan string{heard(first), heard(second)}
	idle, stop := idles(second)
	if err := ask(ctx, first, "join: say hello.", "Hello to both."); err != nil {
		return err
	}
	<-idle // which may come later than to the first
	stop()
	if err := ask(ctx, second, "join: say goodbye.", "Goodbye to both."); err != nil {
		return err
	}
	for i, answers := range listeners {
		if hello, goodbye := <-answers, <-answers; hello != "Hello to both." || goodbye != "Goodbye to both." {
			return fmt.Errorf("client %d heard %q and %q", i+1, hello, goodbye)
		}
	}
	if err := client.Stop(); err != nil {
		return err
	}
	return first.Disconnect()
}

// continueElsewhere stops the client and goes on with a session of it in a new one.
func (s *story) continueElsewhere(ctx context.Context, id, prompt, want string) error {
	if err := s.client.Stop(); err != nil {
		return err
	}
	return s.goOn(ctx, id, prompt, want)
}

// goOn makes a new client, which resumes a session.
func (s *story) goOn(ctx context.Context, id, prompt, want string) (err error) {
	if s.client, err = connect(ctx); err != nil {
		return err
	}
	session, err := s.resume(ctx, s.client, id)
	if err != nil {
		return err
	}
	if err := ask(ctx, session, prompt, want); err != nil {
		return err
	}
	return session.Disconnect()
}

func (s *story) list(ctx context.Context) error {
	session, err := s.create(ctx, nil)
	if err != nil {
		return err
	}
	if err := ask(ctx, session, "list: remember the milk.", "I remember the milk."); err != nil {
		return err
	}
	listed := func(m copilot.SessionMetadata) bool { return m.SessionID == session.SessionID }
	sessions, err := s.client.ListSessions(ctx, nil)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(sessions, listed) {
		return fmt.Errorf("the list of sessions is %+v", sessions)
	}
	events, err := session.GetEvents(ctx)
	if err != nil {
		return err
	}
	var said []string
	for _, e := range events {
		switch data := e.Data.(type) {
		case *copilot.UserMessageData:
			said = append(said, data.Content)
		case *copilot.AssistantMessageData:
			said = append(said, data.Content)
		}
	}
	if !slices.Equal(said, []string{"list: remember the milk.", "I remember the milk."}) {
		return fmt.Errorf("the messages are %q", said)
	}
	if err := session.Disconnect(); err != nil {
		return err
	}
	if err := s.client.DeleteSession(ctx, session.SessionID); err != nil {
		return err
	}
	if sessions, err = s.client.ListSessions(ctx, nil); err != nil {
		return err
	}
	if slices.ContainsFunc(sessions, listed) {
		return errors.New("the deleted session is still listed")
	}
	return nil
}

func (s *story) restart(ctx context.Context) error {
	session, err := s.create(ctx, nil)
	if err != nil {
		return err
	}
	if err := ask(ctx, session, "restart: my name is Ann.", "Hello, Ann."); err != nil {
		return err
	}
	if os.Getenv("STORY_TRANSPORT") != "tcp" {
		return s.continueElsewhere(ctx, session.SessionID, "restart: what is my name?", "You are Ann.")
	}
	fmt.Println("restart?")
	if answer, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil || answer != "restarted\n" {
		return fmt.Errorf("the answer to restart? is %q: %w", answer, err)
	}
	s.client.ForceStop() // its connection is broken
	return s.goOn(ctx, session.SessionID, "restart: what is my name?", "You are Ann.")
}
