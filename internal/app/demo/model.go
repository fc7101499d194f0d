package demo

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func modelCommand(o *cli.Options) *cobra.Command {
	port := 0
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Serve the scripted model of the demo, to try run and chat",
		Long: `Serve the scripted model of the demo on this machine until Ctrl-C, so that run
and chat can be tried without a key. It has the answers of docs/walkthrough.md:
it fixes the test of the small project there, and says so when it is asked
anything else.`,
		Example: `  sidestick demo model
  sidestick demo model --port 4242`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveModel(cmd.Context(), o, port) },
	}
	cmd.Flags().IntVar(&port, "port", 0, "the `port` to listen on; 0 takes a free one")
	return cmd
}

// beyondScript is the answer to everything that is not in the script.
const beyondScript = "I am the scripted model of sidestick demo, and know only docs/walkthrough.md: " +
	"in a folder with its two files, ask me \"" + firstPrompt + "\" or, after that, \"" + secondPrompt + "\""

// serveModel serves the scripted model until ctx ends.
func serveModel(ctx context.Context, o *cli.Options, port int) error {
	if port < 0 || port > 65535 {
		return cli.NewUsageError(fmt.Errorf("--port is %d, want 0 to 65535", port))
	}
	m := modeltest.NewServer(append(demoScript(modelPace), modeltest.Reply{Text: beyondScript, Repeat: true})...)
	defer m.Close()
	m.SetModels(modeltest.Reply{Body: `{"data":[{"id":"scripted","name":"The scripted model of the demo"}]}`, Repeat: true})
	url, err := m.ListenOn(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Sys.Stdout, `The scripted model is listening; Ctrl-C ends it. In another terminal:

  export OPENAI_BASE_URL=%s/v1 SIDESTICK_MODEL=scripted
`, url)
	if err != nil {
		return err
	}
	<-ctx.Done()
	newLine(o)
	return nil
}
