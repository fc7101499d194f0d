package config

// Tape are the settings for recordings of model calls.
type Tape struct {
	// Record is the file that calls are recorded in, Replay the recording that they are answered
	// from; "" for none. They may be relative to the working directory.
	Record, Replay Setting[string]
	// Tools answers the calls of tools from the recording, too.
	Tools Setting[bool]
}

// TapeFlags are the flags about recordings.
type TapeFlags struct {
	Record string // --record
	Replay string // --replay
	Tools  bool   // --replay-tools
}

func tapeOf(flags TapeFlags, env environment) Tape {
	t := Tape{
		Record: first(flag("--record", flags.Record), env.get("SIDESTICK_RECORD")),
		Replay: first(flag("--replay", flags.Replay), env.get("SIDESTICK_REPLAY")),
		Tools:  first(flag("--replay-tools", flags.Tools), fallback(false)),
	}
	if s := env.get("SIDESTICK_REPLAY_TOOLS"); !t.Tools.Value && s.Value == "true" {
		t.Tools = Setting[bool]{true, s.From}
	}
	return t
}

// check finds settings that contradict each other. A value other than "true" for the tools would
// have no effect.
func (t *Tape) check(env environment) error {
	switch tools := env.get("SIDESTICK_REPLAY_TOOLS"); {
	case t.Record.Value != "" && t.Replay.Value != "":
		return invalid(t.Replay.From, "give one of them", "it contradicts %s: a replay calls no model that could be recorded", t.Record.From)
	case t.Tools.Value && t.Replay.Value == "":
		return invalid(t.Tools.From, "name the recording with --replay FILE", "there is no recording to take the results of tools from")
	case tools.Value != "" && tools.Value != "true" && tools.Value != "false":
		return invalid(tools.From, "true answers calls of tools from the recording; false, the default, does not", "%q is neither true nor false", tools.Value)
	}
	return nil
}
