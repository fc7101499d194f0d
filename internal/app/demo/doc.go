// Package demo is the command `sidestick demo`, which needs no key and no network. The
// model is scripted; the rest of the runtime is the real one.
//
//   - demo.go, play.go: `sidestick demo`: a client works with the model, is killed, and
//     another client resumes the session. text.go is what it prints before and after,
//     eventrows.go the row of each event.
//   - script.go: the answers of the scripted model. slug.sh and test.sh are the small
//     project that it repairs.
//   - model.go: `demo model` serves the scripted model.
//   - agent.go, flags.go: `demo agent` serves a Copilot Extensions agent, which keeps
//     feature flags.
package demo
