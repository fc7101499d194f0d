package obs_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

func TestLevels(t *testing.T) {
	const all = "error warning info debug all"
	for _, tc := range []struct{ level, want string }{
		{"", "error warning"},
		{"none", ""},
		{"error", "error"},
		{"warning", "error warning"},
		{"info", "error warning info"},
		{"debug", "error warning info debug"},
		{"all", all},
	} {
		t.Run("level "+tc.level, func(t *testing.T) {
			var out bytes.Buffer
			logger := newLogger(t, obs.Options{Level: tc.level, Stderr: &out})
			logger.Error("error")
			logger.Warn("warning")
			logger.Info("info")
			logger.Debug("debug")
			logger.Log(t.Context(), obs.LevelAll, "all")
			var got []string
			for _, m := range regexp.MustCompile(`msg=(\w+)`).FindAllStringSubmatch(out.String(), -1) {
				got = append(got, m[1])
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("shows %q, want %q", got, tc.want)
			}
		})
	}
}

func newLogger(t *testing.T, opts obs.Options) *slog.Logger {
	t.Helper()
	logger, closer, err := obs.NewLogger(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closer.Close(); err != nil {
			t.Error(err)
		}
	})
	return logger
}

func TestAnUnknownLevelNamesTheKnownOnes(t *testing.T) {
	_, _, err := obs.NewLogger(obs.Options{Level: "loud"})
	const want = `unknown log level "loud": use none, error, warning, info, debug or all`
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestAFileIsMadeAtTheFirstRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "logs")
	var stderr bytes.Buffer
	logger := newLogger(t, obs.Options{Level: "info", Dir: dir, Stderr: &stderr})
	logger.Debug("not shown")
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory is there before anything was logged")
	}
	logger.Info("first")
	logger.Info("second")
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %q, %v; want one", names, err)
	}
	if ok, _ := regexp.MatchString(`^sidestick-\d{8}T\d{6}Z-\d+\.log$`, filepath.Base(names[0])); !ok {
		t.Errorf("the file is called %s", names[0])
	}
	data, err := os.ReadFile(names[0])
	if err != nil || strings.Count(string(data), "\n") != 2 || !strings.Contains(string(data), "msg=second") {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr got %q too", stderr.String())
	}
}

func TestAFileThatCannotBeMadeIsSaidOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	logger := newLogger(t, obs.Options{Level: "info", Dir: filepath.Join(file, "sub"), Stderr: &stderr})
	logger.Info("first")
	logger.Info("second")
	got := stderr.String()
	if strings.Count(got, "cannot log to a file") != 1 || !strings.Contains(got, "msg=first") || !strings.Contains(got, "msg=second") {
		t.Errorf("stderr got %q", got)
	}
}

func TestNothingIsMadeAfterClose(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	logger, closer, err := obs.NewLogger(obs.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := closer.Close(); err != nil {
			t.Error(err)
		}
	}
	logger.Error("late")
	if _, err := os.Stat(dir); err == nil {
		t.Error("a record after Close made the directory")
	}
}
