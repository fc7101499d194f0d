package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// This file has the methods about the GitHub service that shows sessions to others and lets
// them steer. Nothing here is connected to it: remote control is off, no session is shared.

// remoteOff is the only state of remote control.
type remoteOff struct {
	State string `json:"state"`
}

// remoteControl is the answer of the methods about remote control. Stopped and Transferred
// are of one method each.
type remoteControl struct {
	Status      remoteOff `json:"status"`
	Stopped     *bool     `json:"stopped,omitempty"`
	Transferred *bool     `json:"transferred,omitempty"`
}

var off = remoteOff{State: "off"}

func remoteStatus(context.Context, *conn, none) (any, error) { return remoteControl{Status: off}, nil }

// setRemoteSteering changes nothing: remote control that is off cannot be steered.
func setRemoteSteering(context.Context, *conn, none) (any, error) {
	return remoteControl{Status: off}, nil
}

func stopRemote(context.Context, *conn, none) (any, error) {
	return remoteControl{Status: off, Stopped: new(bool)}, nil
}

func transferRemote(context.Context, *conn, none) (any, error) {
	return remoteControl{Status: off, Transferred: new(bool)}, nil
}

func startRemote(context.Context, *conn, none) (any, error) { return nil, noRemote() }

func noRemote() error {
	return fault.New(fault.Unavailable, "", "", "remote control of sessions needs the GitHub service, to which this runtime does not connect; attach a second client instead")
}

// enableRemote accepts only the mode in force, which is off.
func enableRemote(_ context.Context, _ *session.Session, p struct {
	Mode string `json:"mode"`
},
) (any, error) {
	if p.Mode != "off" {
		return nil, noRemote()
	}
	return struct {
		RemoteSteerable bool `json:"remoteSteerable"`
	}{}, nil
}

func disableRemote(context.Context, *session.Session, named) (any, error) { return none{}, nil }

// steerableChanged records what a client reports. Nothing else depends on it.
func steerableChanged(ctx context.Context, s *session.Session, p struct {
	RemoteSteerable bool `json:"remoteSteerable"`
},
) (any, error) {
	return empty{}, s.Settings().RecordSteerable(ctx, p.RemoteSteerable)
}

// visibility answers calls that read or change the visibility: sessions of this program are not
// shared, and cannot be.
func visibility(context.Context, *session.Session, named) (any, error) {
	return struct {
		Synced bool `json:"synced"`
	}{}, nil
}

// completions lists none: they are those of a host that shows a prompt.
func completions(context.Context, *session.Session, named) (any, error) {
	return struct {
		Items []string `json:"items"`
	}{[]string{}}, nil
}

func completionTriggers(context.Context, *session.Session, named) (any, error) {
	return struct {
		TriggerCharacters []string `json:"triggerCharacters"`
	}{[]string{}}, nil
}

// engagement answers without an id: no usage data is collected.
func engagement(context.Context, *session.Session, named) (any, error) { return empty{}, nil }

// featureOverrides takes labels for the usage data of the GitHub service and drops them: none
// is sent.
func featureOverrides(context.Context, *session.Session, named) (any, error) { return none{}, nil }

// builtInModels lists none: the models are those of the provider.
func builtInModels(context.Context, *conn, none) (any, error) {
	return struct {
		Models []string `json:"models"`
	}{[]string{}}, nil
}

// deviceSettings answers without settings: this runtime looks for none that manage a device.
func deviceSettings(context.Context, *conn, none) (any, error) { return empty{}, nil }

// clearManaged has nothing to forget: managed settings come with each session.
func clearManaged(context.Context, *conn, none) (any, error) { return none{}, nil }

// spawnAgent fails: agents run in the process of their session.
func spawnAgent(context.Context, *conn, none) (any, error) {
	return nil, fault.New(fault.Unavailable, "", "", "agentRegistry.spawn is not enabled: this runtime starts no further processes for agents")
}

// sessionExtensions lists none: extensions of the Copilot CLI are not run.
func sessionExtensions(context.Context, *session.Session, named) (any, error) {
	return struct {
		Extensions []string `json:"extensions"`
	}{[]string{}}, nil
}

func noExtensions() error {
	return fault.New(fault.Unavailable, "", "", "Extensions not available: this runtime does not run extensions of the Copilot CLI")
}

func changeExtensions(context.Context, *session.Session, named) (any, error) {
	return nil, noExtensions()
}

func pushAttachments(context.Context, *session.Session, named) (any, error) {
	return nil, fault.New(fault.Denied, "", "", "only an extension of the session may push attachments, and this connection is not one")
}

// discoverExtensions lists none, and how they are loaded.
func discoverExtensions(context.Context, *conn, none) (any, error) {
	return struct {
		Extensions []string `json:"extensions"`
		Mode       string   `json:"mode"`
	}{[]string{}, "disabled"}, nil
}

func changeDiscovered(context.Context, *conn, none) (any, error) { return nil, noExtensions() }
