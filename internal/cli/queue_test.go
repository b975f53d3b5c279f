package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/live"
)

// redisFor starts a redis-server that ends with the test and returns its address.
func redisFor(t *testing.T) (url string) {
	t.Helper()
	s, err := live.Start(t.Context())
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s.URL()
}

// TestQueue: what workers do over a queue is reported as what one machine does, to the
// byte.
func TestQueue(t *testing.T) {
	testkit.Single(t)
	t.Setenv("LOCKSTEP_CACHE", "off")
	url := redisFor(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan string)
	go func() {
		var out, errs bytes.Buffer
		code := run(ctx, []string{"worker", "--queue", url, "--jobs", "2"}, strings.NewReader(""), &out, &errs)
		ended <- fmt.Sprintf("%d %s%s", code, &out, &errs)
	}()
	for _, line := range [][]string{
		{"hunt", "setnx", "--hazard", "crash", "--runs", "9000", "--json"},
		{"matrix", "--locks", "setnx,set-lua", "--hazards", "contention,crash"},
	} {
		var alone, queued, errs bytes.Buffer
		code := run(t.Context(), line, strings.NewReader(""), &alone, io.Discard)
		if got := run(t.Context(), append(line, "--queue", url), strings.NewReader(""), &queued, &errs); got != code || queued.String() != alone.String() {
			t.Errorf("%s: %d, want %d\n%s\nnot\n%s\n%s", line[0], got, code, &queued, &alone, &errs)
		}
	}
	// The first violation ends them; what is not searched has no verdict.
	for _, test := range []struct {
		line []string
		want string
	}{
		{[]string{"hunt", "setnx", "--hazard", "crash", "--runs", "20000", "--first"}, "VIOLATED"},
		{[]string{"matrix", "--locks", "set-del,setnx", "--hazards", "crash,overrun,contention", "--first"}, "cells were not searched to their end, since --first"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append(test.line, "--queue", url), strings.NewReader(""), &out, &errs); code != exitOK || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: %d\n%s%s", test.line[0], code, &out, &errs)
		}
	}
	cancel()
	if said := <-ended; !strings.Contains(said, "takes parts of version") || strings.Contains(said, "secret") {
		t.Errorf("the worker: %s", said)
	}
}

// TestQueueRefuses: a wrong address, and flags that do not fit.
func TestQueueRefuses(t *testing.T) {
	for _, test := range []struct {
		line []string
		want string
	}{
		{[]string{"worker"}, "--queue is missing"},
		{[]string{"worker", "--queue", "nonsense"}, "is no URL of a Redis"},
		{[]string{"worker", "--queue", "redis://:secret@127.0.0.1:1"}, "127.0.0.1:1 cannot be reached"},
		{[]string{"worker", "--queue", "redis://:secret@127.0.0.1:1", "--redis-password-file", "x"}, "has a password already"},
		{[]string{"hunt", "setnx", "--queue", "redis://127.0.0.1:1", "--part", "1/2"}, "--queue and --part exclude each other"},
		{[]string{"check", ".", "--queue", "redis://127.0.0.1:1", "--token", "x"}, "--queue and --token exclude each other"},
		{[]string{"check", ".", "--queue", "redis://127.0.0.1:1", "--watch"}, "--queue and --watch exclude each other"},
		{[]string{"hunt", "setnx", "--redis-password-file", "x"}, "--redis-password-file needs --queue"},
		{[]string{"hunt", "setnx", "--queue", ""}, "it is empty"},
		{[]string{"matrix", "--queue", "redis://127.0.0.1:1", "--fresh"}, "--queue and --fresh exclude each other"},
		{[]string{"hunt", "setnx", "--queue", "http://127.0.0.1"}, "is no URL of a Redis"},
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), test.line, strings.NewReader(""), io.Discard, &errs); code != exitUsage || !strings.Contains(errs.String(), test.want) || strings.Contains(errs.String(), "secret") {
			t.Errorf("%q: %d %s", test.line, code, &errs)
		}
	}
}
