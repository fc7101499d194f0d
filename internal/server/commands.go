package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// listBuiltinCommands lists the slash commands that work before a session has begun.
func listBuiltinCommands(context.Context, *conn, none) (any, error) {
	return encode(wire.CommandsListed{Commands: command.Builtins(true)})
}

func listCommands(ctx context.Context, s *session.Session, p wire.CommandFilter) (any, error) {
	list, err := s.Commands().List(ctx, p)
	if err != nil {
		return nil, err
	}
	return encode(wire.CommandsListed{Commands: list})
}

func invokeCommand(ctx context.Context, s *session.Session, p wire.CommandInvoke) (any, error) {
	if p.Name == "" {
		return nil, missing("name")
	}
	input := ""
	if p.Input != nil {
		input = *p.Input
	}
	result, err := s.Commands().Invoke(ctx, p.Name, input)
	if err != nil {
		return nil, err
	}
	return encode(result)
}

func executeCommand(ctx context.Context, s *session.Session, p wire.CommandRun) (any, error) {
	if p.CommandName == "" {
		return nil, missing("commandName")
	}
	failed, err := s.Commands().Execute(ctx, p.CommandName, p.Args)
	return wire.CommandRan{Error: wire.Optional(failed)}, err
}

func enqueueCommand(ctx context.Context, s *session.Session, p wire.CommandEnqueue) (any, error) {
	shown := ""
	if p.DisplayText != nil {
		shown = *p.DisplayText
	}
	id, err := s.Commands().Enqueue(ctx, p.Command, shown)
	return wire.CommandQueuedIn{Queued: err == nil, QueueID: id}, err
}

func answerCommand(ctx context.Context, _ *conn, a *attachment, p wire.CommandAnswer) (any, error) {
	ok, err := a.client.AnswerCommand(ctx, p.RequestID, p.Error)
	return wire.Success{Success: ok}, err
}

func answerQueuedCommand(ctx context.Context, s *session.Session, p wire.QueuedCommandAnswer) (any, error) {
	ok, err := s.Commands().AnswerQueued(ctx, p.RequestID, p.Result.Handled, p.Result.StopProcessingQueue)
	return wire.Success{Success: ok}, err
}
